import type { ClickhouseOptions } from '../../../libs/adapters/clickhouse/clickhouse-options.ts'
import { StoreDenied } from '../../../libs/ports/store.ts'
import { StartupError } from '../refusal.ts'

/** A server as this process reaches it, and the settings that people would have to change. */
export interface ClickhouseAddress extends ClickhouseOptions {
  readonly userSetting: 'clickhouse-user' | 'clickhouse-read-user'
}

/** Does it. @throws StartupError with what to do where the server does not serve us as we are */
export async function withAccessCheck<T>(
  address: ClickhouseAddress,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    throw error instanceof StoreDenied ? accessError(error, address) : error
  }
}

export function accessError(error: StoreDenied, address: ClickhouseAddress): StartupError {
  const { kind } = error
  const message = error.cause instanceof Error ? error.cause.message : error.message
  const { url, username, userSetting } = address
  const variable = `FOLDSCAN_${userSetting.replaceAll('-', '_').toUpperCase()}`
  const password = variable.replace(/USER$/, 'PASSWORD')
  switch (kind) {
    case 'credentials':
      return new StartupError(
        `ClickHouse at ${url} does not let the user '${username}' in: ` +
          `check ${variable} and ${password} (or ${password}_FILE).`,
      )
    case 'rights':
      return new StartupError(
        `The user '${username}' of ClickHouse at ${url} may not do what is needed: ` +
          `grant it, or name another user by ${variable}. It said: ${ended(message)}`,
      )
    case 'certificate':
      return new StartupError(
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
