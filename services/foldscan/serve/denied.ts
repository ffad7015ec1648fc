import type { ClickhouseOptions } from '../../../libs/adapters/clickhouse/clickhouse-options.ts'
import { StoreDenied } from '../../../libs/ports/store.ts'
import { Refusal } from '../refusal.ts'

/** A server as this process reaches it, and the settings that people would have to change. */
export interface NamedAddress extends ClickhouseOptions {
  readonly userSetting: 'clickhouse-user' | 'clickhouse-read-user'
}

/** Does it. @throws Refusal with what to do where the server does not serve us as we are */
export async function permitted<T>(address: NamedAddress, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    throw error instanceof StoreDenied ? refusalOf(error, address) : error
  }
}

export function refusalOf(error: StoreDenied, address: NamedAddress): Refusal {
  const { kind } = error
  const message = error.cause instanceof Error ? error.cause.message : error.message
  const { url, username, userSetting } = address
  const variable = `FOLDSCAN_${userSetting.replaceAll('-', '_').toUpperCase()}`
  const password = variable.replace(/USER$/, 'PASSWORD')
  switch (kind) {
    case 'credentials':
      return new Refusal(
        `ClickHouse at ${url} does not let the user '${username}' in: ` +
          `check ${variable} and ${password} (or ${password}_FILE).`,
      )
    case 'rights':
      return new Refusal(
        `The user '${username}' of ClickHouse at ${url} may not do what is needed: ` +
          `grant it, or name another user by ${variable}. It said: ${ended(message)}`,
      )
    case 'certificate':
      return new Refusal(
        `ClickHouse at ${url} cannot be trusted: name who signed its certificate by ` +
          `FOLDSCAN_CLICKHOUSE_CA_FILE, or begin the URL with http:// if it speaks no TLS. ` +
          `The reason: ${ended(message)}`,
      )
  }
}

const ended = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim().slice(0, 300)
  return /[.!?]$/.test(line) ? line : `${line}.`
}
