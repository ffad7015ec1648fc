import type { RpcFailure } from './rpc-transport.ts'

/**
 * What errors of JSON-RPC mean. A contract chooses the words of its own revert, and some nodes
 * repeat them as they are: so words are looked at only where no contract took part (`isRateLimit`),
 * or where they can do no more than excuse the node (`isContractError`). Whether a node has lost a
 * state, lacks a block or takes no block hashes is found by asking it something else, see
 * `historical-state.ts` and `observe-state.ts`.
 */

/** Infura and others, proxyd, Alchemy within a batch, Ankr, QuickNode, BlockVision. */
const rateLimitCodes: ReadonlySet<number> = new Set([-32005, -32016, 429, -32029, -32007, -32605])
const rateLimitWords =
  /rate.?limit|too many requests|compute units|capacity exceeded|throttl|request limit/i

/** "Too often". Only for requests as a whole and for methods that run no contract. */
export const isRateLimit = ({ code, message }: RpcFailure): boolean =>
  rateLimitCodes.has(code) || rateLimitWords.test(message)

/** Geth's, Erigon's, Reth's, Besu's and Nethermind's code of a revert. */
const revertCode = 3
/** Also of virtual machines that have their own words for it. */
const revertWords = /revert/i
/** Failures of execution that are no revert; the node has done what it was asked for. */
const failedWords =
  /out of gas|gas uint64 overflow|opcode|invalid jump|bad (?:instruction|jump)|stack (?:under|over)flow|stack limit|write protection|illegal state change|vm (?:exception|execution)|evm error|call depth|return data out of bounds/i

/**
 * Whether the answer to an `eth_call` tells of what the contract did, and not of the node. A
 * contract that makes its node use such words has said no more than that it does not answer.
 */
export function isContractError({ code, message, data }: RpcFailure): boolean {
  if (code === revertCode || revertWords.test(message) || failedWords.test(message)) return true
  // Nethermind and Parity before it: "VM execution error." with what came back as text.
  return typeof data === 'string' && data !== ''
}

/** EIP-1474, and what JSON-RPC itself has for it. */
const absentCodes: ReadonlySet<number> = new Set([-32601, -32004, -32042])

/** Whether a node says by its code that it does not have the method at all. */
export const isMethodMissing = ({ code }: RpcFailure): boolean => absentCodes.has(code)
