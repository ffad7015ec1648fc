/**
 * A process cannot start or go on, for a reason that is no defect: it is logged without a stack.
 * The message is one sentence for the operator, with what to do.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
