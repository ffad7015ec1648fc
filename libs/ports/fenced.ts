/**
 * Another process opened the file after this one, which therefore may not write to it any more. The
 * message names the file and the process. Not retriable: the process that receives it must exit.
 */
export class Fenced extends Error {
  override readonly name = 'Fenced'
}
