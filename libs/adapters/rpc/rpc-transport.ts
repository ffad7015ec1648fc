/** One question of JSON-RPC. */
export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export type RpcAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }

/**
 * Carries batches to a node and back; retries nothing.
 * Our own, thin, over `fetch` and `ws`: the batching of the chain libraries pairs answers with
 * questions by their order, so a node that leaves one out answers the wrong questions.
 */
export interface RpcTransport {
  /** One answer for each call, in its order. @throws SourceTrouble, BatchRefused */
  send(calls: readonly RpcCall[]): Promise<readonly RpcAnswer[]>
  /**
   * Calls back at each new head, and once with `isLost` when the connection is gone.
   * @throws RpcError where the node has no subscriptions, SourceTrouble
   */
  subscribeHeads?(onHead: OnHead): Promise<void>
  close(): void
}

export type OnHead = (isLost: boolean) => void

/** The node takes no batch of this size. */
export class BatchRefused extends Error {
  override readonly name = 'BatchRefused'
}

/** The node understood and said no. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number

  constructor(method: string, error: { code: number; message: string }) {
    super(`${method}: ${error.message.slice(0, 300)} (${error.code})`)
    this.code = error.code
  }
}
