import { keccak_256 } from '@noble/hashes/sha3'
import { LRUCache } from 'lru-cache'
import { keccak256, toRlp } from 'viem'
import type { Hex } from '../../chain/hex.ts'
import type { RpcReceipt } from './rpc-schemas.ts'

/** Types whose receipts have the four fields below; others (of other chains) may have more. */
const newestTypeKnown = 4

/**
 * The receipts root of a header: it proves status, gas and every byte of every log, whereas a bloom
 * cannot show that one of two equal logs is missing. Null if the node returns too little, or
 * receipts are of an unknown type.
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

type Node = Uint8Array | readonly Node[]

interface Entry {
  /** The rest of the key, in nibbles as hex digits. */
  readonly path: string
  readonly value: Uint8Array
}

const empty = new Uint8Array(0)
const hashBytes = 32
const hexDigits = '0123456789abcdef'

/** Root of the Merkle Patricia trie whose keys are the RLP of the values' places. */
function indexedTrieRoot(values: readonly Uint8Array[]): Hex {
  const entries = values.map((value, at) => ({ path: rlpOfIndex(at), value }))
  return keccak256(encoded(entries.length === 0 ? empty : nodeOf(entries)))
}

/** No key is a prefix of another, because the first byte of RLP determines its length. */
function nodeOf(entries: readonly Entry[]): Node {
  const [first] = entries
  if (!first) return empty
  if (entries.length === 1) return [compact(first.path, true), first.value]
  const shared = sharedLength(entries)
  if (shared > 0) {
    const rest = entries.map(({ path, value }) => ({ path: path.slice(shared), value }))
    return [compact(first.path.slice(0, shared), false), referenceTo(nodeOf(rest))]
  }
  const branches = [...hexDigits].map((digit) => {
    const below = entries.filter(({ path }) => path[0] === digit)
    return referenceTo(nodeOf(below.map(({ path, value }) => ({ path: path.slice(1), value }))))
  })
  return [...branches, empty]
}

/** Nodes shorter than a hash are embedded in their parent. */
function referenceTo(node: Node): Node {
  if (node instanceof Uint8Array && node.length === 0) return node
  const bytes = encoded(node)
  return bytes.length < hashBytes ? node : keccak256(bytes, 'bytes')
}

const encoded = (node: Node): Uint8Array => toRlp(mutable(node), 'bytes')

type Mutable = Uint8Array | Mutable[]
const mutable = (node: Node): Mutable => (node instanceof Uint8Array ? node : node.map(mutable))

/**
 * Nibbles as bytes, with a first nibble that encodes whether their number is odd and a value
 * follows.
 */
function compact(path: string, isLeaf: boolean): Uint8Array {
  const isOdd = path.length % 2 === 1
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0)
  return Buffer.from(isOdd ? `${flag}${path}` : `${flag}0${path}`, 'hex')
}

function sharedLength(entries: readonly Entry[]): number {
  const [first] = entries
  let length = 0
  while (first && entries.every(({ path }) => path[length] === first.path[length])) length++
  return length
}

function rlpOfIndex(index: number): string {
  if (index === 0) return '80'
  const digits = index.toString(16)
  return toRlp(`0x${digits.length % 2 === 0 ? digits : `0${digits}`}`).slice(2)
}

const bloomBytes = 256

/** Addresses and topics repeat from block to block; a keccak costs a hundred look-ups. */
const rememberedMax = 65_536
const remembered = new LRUCache<string, readonly number[]>({ max: rememberedMax })

/** The 2048-bit bloom of the logs' addresses and topics, as block headers carry it. */
export function bloomOf(logs: Iterable<{ address: Hex; topics: readonly Hex[] }>): Hex {
  const bloom = Buffer.alloc(bloomBytes)
  for (const log of logs) {
    add(bloom, log.address)
    for (const topic of log.topics) add(bloom, topic)
  }
  return `0x${bloom.toString('hex')}`
}

function add(bloom: Buffer, item: Hex): void {
  for (const bit of bitsOf(item)) {
    const at = bloomBytes - 1 - (bit >> 3)
    bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7))
  }
}

/** Three of 2048 bits: the low 11 of the first three pairs of bytes of the keccak. */
function bitsOf(item: Hex): readonly number[] {
  const known = remembered.get(item)
  if (known) return known
  const digest = Buffer.from(keccak_256(Buffer.from(item.slice(2), 'hex')))
  const bits = [0, 2, 4].map((at) => digest.readUInt16BE(at) & 2047)
  remembered.set(item, bits)
  return bits
}
