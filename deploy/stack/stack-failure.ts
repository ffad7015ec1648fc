/** Why a server of the stack is not there. The message is one sentence for people. */
export class StackFailure extends Error {
  override readonly name = 'StackFailure'
}
