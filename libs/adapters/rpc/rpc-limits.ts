/** Bounds of the conversation with a node. At each of them something is logged or thrown. */
export interface RpcLimits {
  /** Calls in one request; halved for good when the node refuses a batch. */
  readonly batchCallsMax: number
  /** Requests in flight at a time. */
  readonly requestsMax: number
  /** From sending to the last byte; beyond it the request is retried. */
  readonly requestTimeoutMs: number
  /** A larger answer is refused unread. */
  readonly answerBytesMax: number
  /** Tries after the first; then the trouble goes to the caller, who may come again. */
  readonly retriesMax: number
  readonly retryMinMs: number
  /** Also the longest `Retry-After` that is obeyed. */
  readonly retryMaxMs: number
  /** Between two looks at the head, without a subscription. */
  readonly pollIntervalMs: number
  /** Between two looks at the head beside a subscription, which may die silently. */
  readonly subscribedPollIntervalMs: number
}

export const rpcLimits: RpcLimits = {
  batchCallsMax: 64,
  requestsMax: 8,
  requestTimeoutMs: 20_000,
  answerBytesMax: 256 * 1024 * 1024,
  retriesMax: 5,
  retryMinMs: 250,
  retryMaxMs: 15_000,
  pollIntervalMs: 1_000,
  subscribedPollIntervalMs: 15_000,
}
