/** Limits of the log on Kafka. Units are last in each name. */
export interface KafkaLimits {
  readonly connectTimeoutMs: number
  /** Time limit of one request. */
  readonly requestTimeoutMs: number
  /** Attempts of one request. */
  readonly requestAttemptsMax: number
  readonly retryMs: number
  readonly retryMaxMs: number
  /** Time limit of one call with all its retries; then LogUnavailable. */
  readonly callTimeoutMs: number
  /** Time limit of a read until its first message; includes joining the group. */
  readonly readTimeoutMs: number
  /** Size of one record batch before compression; a larger message is sent alone. */
  readonly batchBytesMax: number
  /** Smaller batches are not compressed. */
  readonly compressedBytesMin: number
  /** Size of one fetch, compressed; brokers return at least one batch, even if larger. */
  readonly fetchBytesMax: number
  /**
   * The same of compacted topics, above their greatest message: where the first batch of an answer
   * was emptied by compaction and the second is cut off, kafkajs asks for the same offset for ever.
   */
  readonly compactedFetchBytesMax: number
  /** Maximum wait of a fetch while there is no message. */
  readonly fetchWaitMs: number
  /** Read-ahead for each topic, uncompressed, in addition to one fetch. */
  readonly aheadBytesMax: number
  /** A member without heartbeats for this time loses its partition. */
  readonly sessionTimeoutMs: number
  readonly heartbeatIntervalMs: number
  readonly rebalanceTimeoutMs: number
  /** Interval of offset commits, which are for monitoring only. */
  readonly commitIntervalMs: number
  /** A consumer that has not fetched for this time is recreated. */
  readonly stallTimeoutMs: number
  readonly closeTimeoutMs: number
}

export const kafkaLimits: KafkaLimits = {
  connectTimeoutMs: 3_000,
  requestTimeoutMs: 6_000,
  requestAttemptsMax: 4,
  retryMs: 100,
  retryMaxMs: 2_000,
  // A process that is stopped while the brokers are unavailable exits within ten seconds.
  callTimeoutMs: 8_000,
  readTimeoutMs: 8_000,
  batchBytesMax: 1024 * 1024,
  compressedBytesMin: 1024,
  fetchBytesMax: 1024 * 1024,
  // A message of 8 MiB with its header, behind 16,000 empty batches.
  compactedFetchBytesMax: 10 * 1024 * 1024,
  fetchWaitMs: 500,
  aheadBytesMax: 8 * 1024 * 1024,
  // The partition of a killed member is reassigned after this; needless rebalances are harmless.
  sessionTimeoutMs: 10_000,
  heartbeatIntervalMs: 1_000,
  rebalanceTimeoutMs: 15_000,
  commitIntervalMs: 5_000,
  stallTimeoutMs: 30_000,
  closeTimeoutMs: 5_000,
}

const timer32BitMaxMs = 2 ** 31 - 1

/** @throws if the limits contradict each other; each message contains the arithmetic. */
export function assertKafkaLimits(limits: KafkaLimits): void {
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1 || value > timer32BitMaxMs) {
      throw new Error(`${name} is ${value}: it must be a whole number above 0`)
    }
  }
  const { heartbeatIntervalMs, sessionTimeoutMs, fetchWaitMs, rebalanceTimeoutMs } = limits
  // A member beats between two answers; three beats must fit into a session.
  const beatMs = heartbeatIntervalMs + fetchWaitMs
  above('sessionTimeoutMs', sessionTimeoutMs, [
    '3 * (heartbeatIntervalMs + fetchWaitMs)',
    beatMs * 3,
  ])
  above('rebalanceTimeoutMs', rebalanceTimeoutMs, ['sessionTimeoutMs', sessionTimeoutMs])
  // A waiting fetch must not time out.
  above('requestTimeoutMs', limits.requestTimeoutMs, ['2 * fetchWaitMs', fetchWaitMs * 2])
  above('stallTimeoutMs', limits.stallTimeoutMs, ['rebalanceTimeoutMs', rebalanceTimeoutMs])
  const { fetchBytesMax, compactedFetchBytesMax } = limits
  above('compactedFetchBytesMax', compactedFetchBytesMax, ['fetchBytesMax', fetchBytesMax])
  above('callTimeoutMs', limits.callTimeoutMs, ['requestTimeoutMs', limits.requestTimeoutMs])
}

function above(name: string, value: number, [bound, atLeast]: readonly [string, number]): void {
  if (value < atLeast) throw new Error(`${name} is ${value}: below ${bound}, which is ${atLeast}`)
}
