import { keccak256 } from 'viem'
import { type Hash, hash as hashOf, zeroAddress } from '../../../chain/hex.ts'
import type { RpcBlock, RpcReceipt, RpcTransaction } from './rpc-schemas.ts'

const prefix = Buffer.from('matic-bor-receipt-')

/**
 * Hash of the transaction that Polygon's client (bor) adds to some blocks for the events of the
 * root chain: the keccak of its key in bor's database, which is a prefix, the number as 8 bytes
 * and the block's hash. So it proves to which block the transaction belongs.
 */
export function stateSyncHash({ number, hash }: Pick<RpcBlock, 'number' | 'hash'>): Hash {
  const eight = Buffer.alloc(8)
  eight.writeBigUInt64BE(BigInt(number))
  return hashOf(keccak256(Buffer.concat([prefix, eight, Buffer.from(hash.slice(2), 'hex')])))
}

/**
 * What is wrong with a block's state-sync transaction; null if nothing is. It is the last of its
 * block, and transfers no coin. The header's roots and bloom do not cover it.
 */
export function stateSyncFault(block: RpcBlock, at: number): string | null {
  if (at !== block.transactions.length - 1) return 'is a state sync, but not the last one'
  const transaction = block.transactions[at]
  return !transaction || isEmpty(transaction) ? null : 'is a state sync that is not empty'
}

/** As bor makes it: everything but the hash is constant. */
const isEmpty = ({ type, from, to, value, gas, input }: RpcTransaction): boolean =>
  (type ?? 0) === 0 &&
  from === zeroAddress &&
  (to ?? zeroAddress) === zeroAddress &&
  value === 0n &&
  gas === 0n &&
  input === '0x'

/** It burns no gas: a fee of its own would be a fee that nobody has paid. */
export const isFreeReceipt = ({ gasUsed }: RpcReceipt): boolean => gasUsed === 0n
