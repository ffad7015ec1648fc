import type { Log } from '../chain/block.ts'
import { type Address, type Hash, hash, zeroAddress } from '../chain/hex.ts'
import { addressInWord, dataWords } from '../chain/log-words.ts'

/** `Deposit(address,uint256)` and `Withdrawal(address,uint256)` of wrapped coins. */
export const depositTopic: Hash = hash(
  '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
)
export const withdrawalTopic: Hash = hash(
  '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65',
)

/**
 * The account whose balance a log changes without a transfer; null for any other log. Some tokens
 * emit a transfer as well, and some contracts use the same events for something else: the only
 * conclusion is that transfers do not explain the balance (decision 23).
 */
export function wrappingHolder({ topics, data }: Log): Address | null {
  const [topic, account, third] = topics
  if (topic !== depositTopic && topic !== withdrawalTopic) return null
  if (third !== undefined || dataWords(data) < 1) return null
  const holder = addressInWord(account)
  return holder === zeroAddress ? null : holder
}
