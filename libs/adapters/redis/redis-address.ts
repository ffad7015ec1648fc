/** Where a Redis listens and how one signs in there. */
export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly isEncrypted: boolean
  readonly database: number
  readonly username?: string
  readonly password?: string
  /** For people: without user and password. */
  readonly shown: string
}

const portDefault = 6379

/** @throws Error with a sentence that repeats nothing of the URL: it may hold a password. */
export function redisAddress(text: string): RedisAddress {
  const url = URL.canParse(text) ? new URL(text) : null
  const username = decoded(url?.username ?? '')
  const password = decoded(url?.password ?? '')
  const path = /^\/?(\d{0,4})$/.exec(url?.pathname ?? 'none')
  if (
    url === null ||
    !isRedis(url.protocol) ||
    url.hostname === '' ||
    path === null ||
    username === null ||
    password === null
  ) {
    throw new Error(
      'the address of Redis is not of the form redis://host:port/database, or rediss:// for TLS, ' +
        'with user and password before the host if it asks for them',
    )
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const port = url.port === '' ? portDefault : Number(url.port)
  const database = Number(path[1] ?? '')
  return {
    host,
    port,
    isEncrypted: url.protocol === 'rediss:',
    database,
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
    shown: `${url.protocol}//${url.hostname}:${port}/${database}`,
  }
}

const isRedis = (protocol: string) => protocol === 'redis:' || protocol === 'rediss:'

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
