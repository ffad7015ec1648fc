/** Limits of a projector. Each name ends with its unit. */
export interface ProjectorLimits {
  /** A flush holds at most about this many rows: they lie encoded in memory. */
  readonly flushRowsMax: number
  /** … and messages of at most about this many bytes on the wire. */
  readonly flushBytesMax: number
  readonly flushMessagesMax: number
  /** … and of at most about this weight, see message-weight.ts: it is written at once. */
  readonly flushWeightMax: number
  /** A message of this weight is folded in slices, without others. */
  readonly slicedWeightMin: number
  /** Of this weight a message is announced in the log: it may take minutes. */
  readonly greatWeightMin: number
  /** Edited values of a sliced message kept in memory; beyond, they go to a scratch file. */
  readonly editsHeldMax: number
  /** Changes in a slice. */
  readonly sliceChangesMax: number
  /** Encoded rows of a sliced message that are held before they are inserted. */
  readonly sliceRowBytesMax: number
  readonly readBytesMax: number
  readonly readMessagesMax: number
  /** Entities kept decoded between flushes. */
  readonly entitiesCachedMax: number
  /** Lag in messages from which an announcement is just "everything". */
  readonly liveMessagesMax: number
  /** Maximum buckets in an announcement; beyond, it is "everything". */
  readonly bucketsMax: number
  /** While nothing comes, how far behind it is is looked at again this often. */
  readonly idleLookMs: number
  /** Whether a topic of facts is still the same one is looked at again this often. */
  readonly factsLookMs: number
  /** Poll interval for the chain's time, to detect the start of an hour. */
  readonly rateHourLookMs: number
  /** Attempts to write rows while the store is unavailable; then the projector fails. */
  readonly storeAttemptsMax: number
  readonly storeRetryMs: number
  readonly storeRetryMaxMs: number
  /** Attempts while a log is unavailable that was never read; then the projector fails. */
  readonly logAttemptsMax: number
  readonly logRetryMs: number
  readonly logRetryMaxMs: number
}

export const projectorLimits: ProjectorLimits = {
  // Bytes are what is reached first: the groups of a process then flush at the same messages, stay
  // together, and each message is decoded once for both (measured: by rows, nine of ten twice).
  flushRowsMax: 150_000,
  flushBytesMax: 4 * 1024 * 1024,
  flushMessagesMax: 2_000,
  flushWeightMax: 20_000,
  slicedWeightMin: 5_000,
  greatWeightMin: 50_000,
  editsHeldMax: 50_000,
  sliceChangesMax: 500,
  sliceRowBytesMax: 24 * 1024 * 1024,
  readBytesMax: 1024 * 1024,
  readMessagesMax: 500,
  entitiesCachedMax: 50_000,
  liveMessagesMax: 64,
  bucketsMax: 50_000,
  idleLookMs: 5_000,
  factsLookMs: 300_000,
  rateHourLookMs: 15_000,
  storeAttemptsMax: 30,
  storeRetryMs: 100,
  storeRetryMaxMs: 2_000,
  logAttemptsMax: 30,
  logRetryMs: 100,
  logRetryMaxMs: 2_000,
}
