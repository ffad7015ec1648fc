/** Bounds of the conversation with a node. At each of them something is logged or thrown. */
export interface RpcLimits {
  /** Calls in one request; halved when the node refuses a batch. */
  readonly batchCallsMax: number
  /** Requests in flight at a time. */
  readonly requestsMax: number
  /** From sending to the last byte; beyond it the request is retried. */
  readonly requestTimeoutMs: number
  /** A larger answer is refused unread; of calls with small answers a part of it, see below. */
  readonly responseBytesMax: number
  /** Tries after the first; then the trouble goes to the caller, who may come again. */
  readonly retriesMax: number
  readonly retryMinMs: number
  /** Also the longest `Retry-After` that is obeyed. */
  readonly retryMaxMs: number
  /** Between two looks at the head, without a subscription. */
  readonly pollIntervalMs: number
  /** Between two looks at the head beside a subscription, which may die silently. */
  readonly subscribedPollIntervalMs: number
  /** Between two looks at the head in any case, however often the node announces it. */
  readonly headIntervalMinMs: number
  /** Gas of one `eth_call`: a contract that loops may burn this much and no more. */
  readonly callGas: number
  /** Bytes of the answer to one call of a contract; a batch may have as many times that. */
  readonly callResponseBytesMax: number
  /** Of one request that calls contracts. */
  readonly callTimeoutMs: number
  /** For all such requests about one block; what has not come by then is left out. */
  readonly callsTotalMs: number
  /** Traces in one request: each may take a node seconds. */
  readonly traceBatchCallsMax: number
  readonly traceTimeoutMs: number
  /** Bytes of the trace of one failed transaction, its input among them. */
  readonly traceBytesMax: number
  /** For the traces of one block; what has not come by then is left out. */
  readonly tracesTotalMs: number
}

export const rpcLimits: RpcLimits = {
  batchCallsMax: 64,
  requestsMax: 8,
  requestTimeoutMs: 20_000,
  responseBytesMax: 256 * 1024 * 1024,
  retriesMax: 5,
  retryMinMs: 250,
  retryMaxMs: 15_000,
  pollIntervalMs: 1_000,
  subscribedPollIntervalMs: 15_000,
  headIntervalMinMs: 10,
  callGas: 500_000,
  callResponseBytesMax: 64 * 1024,
  callTimeoutMs: 2_000,
  callsTotalMs: 6_000,
  traceBatchCallsMax: 8,
  traceTimeoutMs: 6_000,
  traceBytesMax: 1024 * 1024,
  tracesTotalMs: 20_000,
}
