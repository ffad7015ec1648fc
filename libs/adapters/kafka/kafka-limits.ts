/** Bounds of the log on Kafka. Units stand last in each name. */
export interface KafkaLimits {
  readonly connectTimeoutMs: number
  /** A request that the brokers answer at once if they can. */
  readonly requestTimeoutMs: number
  /** Tries of one request before it counts as failed. */
  readonly requestAttemptsMax: number
  readonly retryMs: number
  readonly retryMaxMs: number
  /** From a call of ours to its answer, all tries together; then LogUnavailable. */
  readonly callTimeoutMs: number
  /** From a read to its first message, where there is one; includes joining a group. */
  readonly readTimeoutMs: number
  /** Messages of one record batch, before compression; a greater message goes alone. */
  readonly batchBytesMax: number
  /** Smaller batches are not worth the time to compress them. */
  readonly compressedBytesMin: number
  /** Of one answer, compressed; the brokers give at least one batch, also if it is greater. */
  readonly fetchBytesMax: number
  /**
   * The same of compacted topics, above their greatest message: where the first batch of an answer
   * was emptied by compaction and the second is cut off, kafkajs asks for the same offset for ever.
   */
  readonly compactedFetchBytesMax: number
  /** How long an answer to "what is new" is held back while there is nothing. */
  readonly fetchWaitMs: number
  /** Read ahead for each topic, uncompressed, beside one answer. */
  readonly aheadBytesMax: number
  /** A member that is silent for so long has lost its partition. */
  readonly sessionTimeoutMs: number
  readonly heartbeatIntervalMs: number
  readonly rebalanceTimeoutMs: number
  /** Between two commits of the offset that is read: for monitoring only. */
  readonly commitIntervalMs: number
  /** A consumer that asks for nothing for so long is made anew. */
  readonly stallTimeoutMs: number
  readonly closeTimeoutMs: number
}

export const kafkaLimits: KafkaLimits = {
  connectTimeoutMs: 3_000,
  requestTimeoutMs: 6_000,
  requestAttemptsMax: 4,
  retryMs: 100,
  retryMaxMs: 2_000,
  // Who is asked to stop while the brokers are away ends within ten seconds.
  callTimeoutMs: 8_000,
  readTimeoutMs: 8_000,
  batchBytesMax: 1024 * 1024,
  compressedBytesMin: 1024,
  fetchBytesMax: 1024 * 1024,
  // A message of 8 MiB with its header, behind 16,000 empty batches.
  compactedFetchBytesMax: 10 * 1024 * 1024,
  fetchWaitMs: 500,
  aheadBytesMax: 8 * 1024 * 1024,
  // A killed member's place is free after this: short, as a rebalance without need is harmless.
  sessionTimeoutMs: 10_000,
  heartbeatIntervalMs: 1_000,
  rebalanceTimeoutMs: 15_000,
  commitIntervalMs: 5_000,
  stallTimeoutMs: 30_000,
  closeTimeoutMs: 5_000,
}

const timer32BitMaxMs = 2 ** 31 - 1

/** @throws if the bounds do not fit together; the arithmetic stands in each sentence. */
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
  // A broker that holds an answer back must not look like one that does not answer.
  above('requestTimeoutMs', limits.requestTimeoutMs, ['2 * fetchWaitMs', fetchWaitMs * 2])
  above('stallTimeoutMs', limits.stallTimeoutMs, ['rebalanceTimeoutMs', rebalanceTimeoutMs])
  const { fetchBytesMax, compactedFetchBytesMax } = limits
  above('compactedFetchBytesMax', compactedFetchBytesMax, ['fetchBytesMax', fetchBytesMax])
  above('callTimeoutMs', limits.callTimeoutMs, ['requestTimeoutMs', limits.requestTimeoutMs])
}

function above(name: string, value: number, [bound, atLeast]: readonly [string, number]): void {
  if (value < atLeast) throw new Error(`${name} is ${value}: below ${bound}, which is ${atLeast}`)
}
