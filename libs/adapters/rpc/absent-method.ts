const absentCodes: ReadonlySet<number> = new Set([-32601, -32004, -32042])
const absentWords =
  /method.*(?:not found|not supported|does not exist|not available|not allowed|disabled)|unsupported method|not whitelisted/i

/** Whether a node says that it does not have the method at all. */
export const isAbsentMethod = (error: { code: number; message: string }): boolean =>
  absentCodes.has(error.code) || absentWords.test(error.message)

const lostStateWords =
  /missing trie node|state.*(?:not available|unavailable|not found)|histor|pruned|archive|(?:header|hash|block) not found|unknown block|blockoutofrange/i

/** A contract may revert with any words that it likes. */
const revertWords = /revert/i

/** Whether a node says that it no longer has (or never had) the state of the block asked for. */
export const isLostState = (error: { code: number; message: string }): boolean =>
  lostStateWords.test(error.message) && !revertWords.test(error.message)
