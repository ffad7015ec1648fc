/** Bounds of the work of an enricher. */
export interface EnricherLimits {
  /** NFTs whose documents are fetched at a time. */
  readonly fetchesMax: number
  /** Of them, those of one contract: where it or its servers are slow, others go on. */
  readonly fetchesPerContractMax: number
  /** NFTs whose URIs one question to the node asks for. */
  readonly urisMax: number
  /** For all URLs of one NFT, the last of which need not be tried. */
  readonly fetchTimeoutMs: number
  /** Until a contract has its next turn, at least; as long as the fetch took if that is more. */
  readonly contractSpacingMs: number
  /** The same where a host has enough requests, or the node no time for a contract. */
  readonly busyPauseMs: number
  /** The longest of these rests. */
  readonly restMaxMs: number
  /** Between two fetches of one NFT, however often its contract says that it has changed. */
  readonly refreshPauseMs: number
  /** NFTs that one commit changes. */
  readonly changesPerCommitMax: number
  /** After each failed attempt; after the last one, and all that follow, the last of them. */
  readonly pausesMs: readonly number[]
  /** The first of these pauses where the contract or its document is at fault, not a server. */
  readonly contentPausesFrom: number
  /** The last of them where a server has had too many requests: no document is at fault. */
  readonly ratePausesTo: number
  /** Until more NFTs are taken after one was put off: else the node would be asked in vain. */
  readonly busyTakePauseMs: number
  /** Until a node or log that failed is tried again. */
  readonly retryMs: number
  /** Results that are published together, or after `publishAfterMs`. */
  readonly resultsMax: number
  readonly publishAfterMs: number
  /** Of one read of topic `blocks`. */
  readonly readMessagesMax: number
  readonly readBytesMax: number
  /** Messages behind the end of the topic from which on changes are as old as their blocks say. */
  readonly liveMessagesMax: number
  /** Until the place in the topic is stored where blocks name no NFT. */
  readonly saveEveryMs: number
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

export const enricherLimits: EnricherLimits = {
  fetchesMax: 32,
  fetchesPerContractMax: 4,
  urisMax: 16,
  fetchTimeoutMs: 30_000,
  contractSpacingMs: 50,
  busyPauseMs: 30_000,
  restMaxMs: 5 * minute,
  refreshPauseMs: 10 * minute,
  changesPerCommitMax: 1_000,
  pausesMs: [minute, 10 * minute, hour, 6 * hour, day, 7 * day, 30 * day],
  contentPausesFrom: 4,
  ratePausesTo: 2,
  busyTakePauseMs: 250,
  retryMs: 5_000,
  resultsMax: 16,
  publishAfterMs: 500,
  readMessagesMax: 64,
  readBytesMax: 8 * 1024 * 1024,
  liveMessagesMax: 64,
  saveEveryMs: 1_000,
}
