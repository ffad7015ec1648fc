/** Why a request is not served: label of a metric, and part of the log line. */
export type OverloadReason =
  | 'too many page loads'
  | 'page load not begun in time'
  | 'page load not ended in time'
  | 'too many wait for one page'
  | 'too many wait for pages'
  | 'too many large pages'
  | 'too many unsent bytes'

/** The client has disconnected: no response is sent. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** This process is overloaded: answered 503, and the client retries. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded'
  readonly reason: OverloadReason

  constructor(reason: OverloadReason, sentence: string) {
    super(`${reason}: ${sentence}`)
    this.reason = reason
  }
}
