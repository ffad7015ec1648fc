const absentCodes: ReadonlySet<number> = new Set([-32601, -32004, -32042])
const absentWords =
  /method.*(?:not found|not supported|does not exist|not available|not allowed|disabled)|unsupported method|not whitelisted/i

/** Whether a node says that it does not have the method at all. */
export const isAbsentMethod = (error: Refusal): boolean =>
  absentCodes.has(error.code) || absentWords.test(error.message)

const lostStateWords =
  /missing trie node|state.*(?:not available|unavailable|not found)|histor|pruned|archive|blockoutofrange/i
const unknownBlockWords = /(?:header|hash|block|resource) not found|unknown (?:block|header)/i

/** A contract may revert with any words that it likes. */
const revertWords = /revert/i

interface Refusal {
  readonly code: number
  readonly message: string
}

/** Whether a node says that it does not know the block asked for (any more, or yet). */
export const isUnknownBlock = ({ message }: Refusal): boolean =>
  unknownBlockWords.test(message) && !revertWords.test(message)

/** Whether a node says that it no longer has (or never had) the state of the block asked for. */
export const isLostState = (error: Refusal): boolean =>
  isUnknownBlock(error) || (lostStateWords.test(error.message) && !revertWords.test(error.message))
