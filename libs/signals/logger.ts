import { type DestinationStream, type Logger, pino } from 'pino'
import { version } from './version.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

interface LoggerOptions {
  readonly level: LogLevel
  /** Command that the process runs; part of every line. */
  readonly service: string
  /** Group of tables that the process writes, if that is its work. */
  readonly group?: string
  /** Where lines are written; stdout by default. */
  readonly to?: DestinationStream
}

/** Writes JSON lines. Credentials are removed from all URLs. */
export function startLogger({ level, to, service, group }: LoggerOptions): Logger {
  const origin = { service, ...(group === undefined ? {} : { group }), version }
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      // Not by `base`: a line that names its own group would then have the key twice.
      log: (fields: Record<string, unknown>) => ({ ...origin, ...withoutSecrets(fields) }),
    },
    hooks: {
      logMethod(this: Logger, args: Parameters<Logger['info']>, write: Logger['info']) {
        const [fields, sentence, ...rest] = args
        write.call(this, fields, sentence && redacted(sentence), ...rest)
      },
    },
  }
  return to ? pino(options, to) : pino(options)
}

const depthMax = 4

function withoutSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plain(value, 0)]))
}

/** JSON has no bigint, and errors print their messages only when asked. */
function plain(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redacted(value)
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Error) return { name: value.name, message: redacted(value.message) }
  if (value === null || typeof value !== 'object') return value
  if (depth === depthMax) return '…'
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, plain(inner, depth + 1)]),
  )
}

/** Punctuation at the end is the sentence's: `cannot reach wss://node.example/key: refused`. */
const urlForm = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]*[^\s"'<>.,:;!?)]/gi
const parts = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#]*@)?([^/?#]*)(.*)$/i
const ownMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/

/**
 * Text with the secrets of its URLs removed: user and password, and everything after the host,
 * because providers put keys into paths and queries. The host remains. Loopback addresses keep
 * their path: it contains no provider's key, and the URL stays usable.
 */
export const redacted = (text: string): string => text.replace(urlForm, withoutUrlSecrets)

function withoutUrlSecrets(url: string): string {
  const [, scheme = '', host = '', rest = ''] = parts.exec(url) ?? []
  if (ownMachine.test(host) || rest.length < 2) return scheme + host + rest
  return `${scheme}${host}/…`
}
