/** Why a request is not served: labels of a metric, and part of the log line. */
export const overloadReasons = [
  'too many page loads',
  'page load not begun in time',
  'page load not ended in time',
  'too many wait for one page',
  'too many wait for pages',
  'too many large pages',
  'too many unsent bytes',
  'too many status streams',
] as const
type OverloadReason = (typeof overloadReasons)[number]

/** This process is overloaded: answered 503, and the client retries. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded'
  readonly reason: OverloadReason

  constructor(reason: OverloadReason, sentence: string) {
    // Its stack names no cause, and takes a sixth of the time of a refused request.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(`${reason}: ${sentence}`)
    Error.stackTraceLimit = stackTraceLimit
    this.reason = reason
  }
}
