/** One question of JSON-RPC. */
export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** The error member of an answer, as the node sent it. */
export interface RpcFailure {
  readonly code: number
  readonly message: string
  /** Of a revert mostly what the contract returned. */
  readonly data?: unknown
}

export type RpcResponse = { readonly result: unknown } | { readonly error: RpcFailure }

/** Bounds of one request. */
export interface SendOptions {
  /** From sending to the last byte. */
  readonly timeoutMs: number
  /** A larger answer is refused unread. */
  readonly responseBytesMax: number
  /** Ends the request before its time. */
  readonly signal?: AbortSignal
}

/**
 * Carries batches to a node and back; retries nothing.
 * Our own, thin, over `fetch` and `ws`: the batching of the chain libraries pairs answers with
 * questions by their order, so a node that leaves one out answers the wrong questions.
 */
export interface RpcTransport {
  /** One answer for each call, in its order. @throws SourceError, BatchRefused, ResponseTooLarge */
  send(calls: readonly RpcCall[], options: SendOptions): Promise<readonly RpcResponse[]>
  /**
   * Calls back at each new head, and once with `isLost` when the connection is gone.
   * @throws RpcError where the node has no subscriptions, SourceError
   */
  subscribeHeads?(onHead: OnHead, options: SendOptions): Promise<void>
  close(): void
}

export type OnHead = (isLost: boolean) => void

/** The node takes no batch of this size. */
export class BatchRefused extends Error {
  override readonly name = 'BatchRefused'
}

/** The answer to a request has more bytes than were asked for. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge'

  constructor(bytesMax: number) {
    super(`an answer of more than ${bytesMax} bytes`)
  }
}

/** The node understood and said no. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number

  constructor(method: string, error: RpcFailure) {
    super(`${method}: ${error.message.slice(0, 300)} (${error.code})`)
    this.code = error.code
  }
}
