import type { WebFailed, WebFailure } from '../../ports/web.ts'

const sentenceCharactersMax = 1_024
/** A host in a URL may be as long as the URL. */
const hostCharactersMax = 255

/** Ends a fetch. The message is about the host, which `asResult` names. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure'
  readonly reason: WebFailure
  readonly status: number | null

  constructor(reason: WebFailure, message: string, status: number | null = null) {
    super(message)
    this.reason = reason
    this.status = status
  }

  /** @param host with its port, or null if there is none */
  asResult(host: string | null): WebFailed {
    const named =
      host === null ? this.message : `${host.slice(0, hostCharactersMax)}: ${this.message}`
    // The words of a server may contain anything; half of a surrogate pair is such a character too.
    const sentence = named.slice(0, sentenceCharactersMax).replace(/[\p{C}\s]+/gu, ' ')
    return { kind: 'failed', reason: this.reason, status: this.status, sentence }
  }
}

/** A failure as it is, anything else as one of that reason. */
export function failureOf(cause: unknown, reason: WebFailure): FetchFailure {
  return cause instanceof FetchFailure ? cause : new FetchFailure(reason, wordsOf(cause))
}

/** An AggregateError (several addresses) has its words in its first error. */
function wordsOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return wordsOf(cause.errors[0])
  return cause instanceof Error ? cause.message : String(cause)
}
