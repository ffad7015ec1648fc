import { type Hex, toRlp } from 'viem'
import { bloomOf } from './logs-bloom.ts'
import type { RpcReceipt } from './rpc-forms.ts'
import { indexedTrieRoot } from './trie-root.ts'

/** Types whose receipts have the four fields below; others (of other chains) may have more. */
const newestTypeKnown = 4

/**
 * The root that a header commits its receipts to: it proves status, gas and every byte of every
 * log, where a bloom cannot tell that one of two equal logs is missing. Null where the node tells
 * too little, or receipts are of a type that we do not know.
 */
export function receiptsRoot(receipts: readonly RpcReceipt[]): Hex | null {
  const items: Uint8Array[] = []
  for (const receipt of receipts) {
    const item = itemOf(receipt)
    if (!item) return null
    items.push(item)
  }
  return indexedTrieRoot(items)
}

function itemOf(receipt: RpcReceipt): Uint8Array | null {
  const { type, status, root, cumulativeGasUsed, logs } = receipt
  const outcome = status == null ? root : quantityHex(BigInt(status))
  if (type == null || type > newestTypeKnown || cumulativeGasUsed == null || outcome == null) {
    return null
  }
  const item = toRlp(
    [
      outcome,
      quantityHex(cumulativeGasUsed),
      bloomOf(logs),
      logs.map((log) => [log.address, [...log.topics], log.data]),
    ],
    'bytes',
  )
  return type === 0 ? item : Buffer.concat([Buffer.of(type), item])
}

/** Without leading zeros; zero is nothing. */
function quantityHex(value: bigint): Hex {
  if (value === 0n) return '0x'
  const digits = value.toString(16)
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}
