/** Why Redis is not used; stable values, for labels and decisions. */
export type RedisFailureKind =
  | 'unreachable'
  | 'wrong-credentials'
  | 'not-a-redis'
  | 'not-encrypted'
  | 'certificate'
  | 'refused'
  | 'another-deployment'

/** The message contains what is wrong and what to do, without secrets. */
export class RedisFailure extends Error {
  override readonly name = 'RedisFailure'
  readonly kind: RedisFailureKind

  constructor(kind: RedisFailureKind, sentence: string) {
    super(sentence)
    this.kind = kind
  }
}

interface ErrorPattern {
  readonly pattern: RegExp
  readonly kind: RedisFailureKind
  readonly sentence: (shown: string, message: string) => string
}

/** By the message of the server or the system: the library has no error classes for these. */
const errorPatterns: readonly ErrorPattern[] = [
  {
    pattern: /WRONGPASS|NOAUTH|invalid password|invalid username/i,
    kind: 'wrong-credentials',
    sentence: (shown) =>
      `Redis at ${shown} refuses the user or password: correct them in its address`,
  },
  {
    pattern: /Protocol error/,
    kind: 'not-a-redis',
    sentence: (shown) => `what listens at ${shown} is not a Redis: correct host or port`,
  },
  {
    pattern: /EPROTO|wrong version number/i,
    kind: 'not-encrypted',
    sentence: (shown) => `Redis at ${shown} has no TLS: use redis:// or correct the port`,
  },
  {
    pattern: /certificate|CERT_/i,
    kind: 'certificate',
    sentence: (shown, message) =>
      `the certificate of Redis at ${shown} is not trusted (${message}): name its authority`,
  },
  {
    pattern: /^[A-Z]+ /,
    kind: 'refused',
    sentence: (shown, message) => `Redis at ${shown} rejects commands: '${message}'`,
  },
]

/** An error of the client as a failure for operators. */
export function redisFailure(error: unknown, shown: string): RedisFailure {
  if (error instanceof RedisFailure) return error
  const message = messageOf(error)
  const known = errorPatterns.find(({ pattern }) => pattern.test(message))
  if (known !== undefined) return new RedisFailure(known.kind, known.sentence(shown, message))
  const hint = hintOf(message, shown)
  const sentence = `Redis at ${shown} cannot be reached (${message}): is it running?${hint}`
  return new RedisFailure('unreachable', sentence)
}

function hintOf(message: string, shown: string): string {
  if (/closed|ECONNRESET/.test(message)) return ' If it expects TLS, write rediss://.'
  // A server without TLS reads the ClientHello as an unfinished line, and waits for its end.
  const isSilent = /no answer|ETIMEDOUT/.test(message) && shown.startsWith('rediss:')
  return isSilent ? ' If it has no TLS, use redis://.' : ''
}

/** The message only: the error itself includes the command, which may be AUTH. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
