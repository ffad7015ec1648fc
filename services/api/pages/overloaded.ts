/** Why a request is not served: the label of a metric, and a word in the log. */
export type OverloadReason =
  | 'too many page loads'
  | 'page load not begun in time'
  | 'page load not ended in time'
  | 'too many wait for one page'
  | 'too many wait for pages'
  | 'too many large pages'
  | 'too many unsent bytes'

/** The client has left: nobody is answered. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** This process has too much to do: 503, and the client tries again. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded'
  readonly reason: OverloadReason

  constructor(reason: OverloadReason, sentence: string) {
    super(`${reason}: ${sentence}`)
    this.reason = reason
  }
}
