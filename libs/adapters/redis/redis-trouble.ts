/** Why a Redis is not used; stable words, for labels and decisions. */
export type RedisTroubleKind =
  | 'unreachable'
  | 'wrong-credentials'
  | 'not-a-redis'
  | 'not-encrypted'
  | 'certificate'
  | 'refused'
  | 'another-deployment'

/** The message is a sentence for people: what is wrong and what to do; no secret is in it. */
export class RedisTrouble extends Error {
  override readonly name = 'RedisTrouble'
  readonly kind: RedisTroubleKind

  constructor(kind: RedisTroubleKind, sentence: string) {
    super(sentence)
    this.kind = kind
  }
}

/** No answer within the time that is given. */
export class RedisTimedOut extends Error {
  override readonly name = 'RedisTimedOut'
}

interface Said {
  readonly form: RegExp
  readonly kind: RedisTroubleKind
  readonly sentence: (shown: string, said: string) => string
}

/** By what the server or the system says: the library has no kinds of its own. */
const knownTroubles: readonly Said[] = [
  {
    form: /WRONGPASS|NOAUTH|invalid password|invalid username/i,
    kind: 'wrong-credentials',
    sentence: (shown) =>
      `Redis at ${shown} refuses the user or password: correct them in its address`,
  },
  {
    form: /Protocol error/,
    kind: 'not-a-redis',
    sentence: (shown) => `what listens at ${shown} is not a Redis: correct host or port`,
  },
  {
    form: /EPROTO|wrong version number/i,
    kind: 'not-encrypted',
    sentence: (shown) => `Redis at ${shown} does not speak TLS: write redis:// or correct the port`,
  },
  {
    form: /certificate|CERT_/i,
    kind: 'certificate',
    sentence: (shown, said) =>
      `the certificate of Redis at ${shown} is not trusted (${said}): name its authority`,
  },
  {
    form: /^[A-Z]+ /,
    kind: 'refused',
    sentence: (shown, said) => `Redis at ${shown} does not serve us: it says '${said}'`,
  },
]

/** What a failure of the client means, for the one who runs it. */
export function redisTrouble(error: unknown, shown: string): RedisTrouble {
  if (error instanceof RedisTrouble) return error
  const said = saidBy(error)
  const known = knownTroubles.find(({ form }) => form.test(said))
  if (known !== undefined) return new RedisTrouble(known.kind, known.sentence(shown, said))
  const hint = hintOf(said, shown)
  const sentence = `Redis at ${shown} cannot be reached (${said}): is it running?${hint}`
  return new RedisTrouble('unreachable', sentence)
}

function hintOf(said: string, shown: string): string {
  if (/closed|ECONNRESET/.test(said)) return '; if it expects TLS, write rediss://'
  // A plain Redis takes the greeting of TLS for half a line and waits for its end.
  const isSilent = /no answer|ETIMEDOUT/.test(said) && shown.startsWith('rediss:')
  return isSilent ? '; if it does not speak TLS, write redis://' : ''
}

/** The message alone: the error itself carries the command, which may be AUTH. */
function saidBy(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return saidBy(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
