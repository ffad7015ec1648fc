/**
 * A file of ours was opened by another process after this one, which may not write it any more.
 * The message says what and by whom. Waiting does not help: the process that receives it must end.
 */
export class Fenced extends Error {
  override readonly name = 'Fenced'
}
