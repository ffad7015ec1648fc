import { keccak_256 } from '@noble/hashes/sha3'
import { LRUCache } from 'lru-cache'
import type { Hex } from '../../../chain/hex.ts'
import { type Pause, pauses } from '../../../chain/pauses.ts'
import type { RpcReceipt } from './rpc-schemas.ts'

/** Types whose receipts have the four fields below; others (of other chains) may have more. */
const newestTypeKnown = 4

/**
 * The receipts root of a header: it proves status, gas and every byte of every log, whereas a bloom
 * cannot show that one of two equal logs is missing. Null if the node returns too little, or
 * receipts are of an unknown type. With pauses: a block may have a million logs, or one of 10 MB.
 */
export async function receiptsRoot(
  receipts: readonly RpcReceipt[],
  pause: Pause = pauses(),
): Promise<Hex | null> {
  const items: Uint8Array[] = []
  for (const receipt of receipts) {
    const item = await itemOf(receipt, pause)
    if (!item) return null
    items.push(item)
  }
  return indexedTrieRoot(items, pause)
}

async function itemOf(receipt: RpcReceipt, pause: Pause): Promise<Uint8Array | null> {
  const { type, status, root, cumulativeGasUsed } = receipt
  const outcome = status == null ? root : quantityHex(BigInt(status))
  if (type == null || type > newestTypeKnown || cumulativeGasUsed == null || outcome == null) {
    return null
  }
  const bloom = new Bloom()
  const logs: Uint8Array[] = []
  for (const log of receipt.logs) {
    bloom.add(log)
    logs.push(rlp([bytesOf(log.address), log.topics.map(bytesOf), bytesOf(log.data)]))
    await pause()
  }
  const fields = [outcome, quantityHex(cumulativeGasUsed), bloom.text].map((text) =>
    rlp(bytesOf(text)),
  )
  const item = rlpList([...fields, rlpList(logs)])
  return type === 0 ? item : Buffer.concat([Buffer.of(type), item])
}

const bytesOf = (text: string): Buffer => Buffer.from(text.slice(2), 'hex')

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
async function indexedTrieRoot(values: readonly Uint8Array[], pause: Pause): Promise<Hex> {
  const entries = values.map((value, at) => ({ path: rlpOfIndex(at), value }))
  const root = rlp(entries.length === 0 ? empty : await nodeOf(entries, pause))
  return `0x${Buffer.from(await keccak(root, pause)).toString('hex')}`
}

/** No key is a prefix of another, because the first byte of RLP determines its length. */
async function nodeOf(entries: readonly Entry[], pause: Pause): Promise<Node> {
  const [first] = entries
  if (!first) return empty
  if (entries.length === 1) return [compact(first.path, true), first.value]
  const shared = sharedLength(entries)
  if (shared > 0) {
    const rest = entries.map(({ path, value }) => ({ path: path.slice(shared), value }))
    const below = await referenceTo(await nodeOf(rest, pause), pause)
    return [compact(first.path.slice(0, shared), false), below]
  }
  const branches: Node[] = []
  for (const digit of hexDigits) {
    const below = entries.filter(({ path }) => path[0] === digit)
    const rest = below.map(({ path, value }) => ({ path: path.slice(1), value }))
    branches.push(await referenceTo(await nodeOf(rest, pause), pause))
  }
  return [...branches, empty]
}

/** Nodes shorter than a hash are embedded in their parent. */
async function referenceTo(node: Node, pause: Pause): Promise<Node> {
  if (node instanceof Uint8Array && node.length === 0) return node
  const bytes = rlp(node)
  return bytes.length < hashBytes ? node : keccak(bytes, pause)
}

/** Bytes hashed between two pauses: about a millisecond. */
const hashedAtOnceMax = 16 * 1024

async function keccak(bytes: Uint8Array, pause: Pause): Promise<Uint8Array> {
  const hash = keccak_256.create()
  for (let at = 0; at < bytes.length; at += hashedAtOnceMax) {
    hash.update(bytes.subarray(at, at + hashedAtOnceMax))
    await pause()
  }
  return hash.digest()
}

function rlp(node: Node): Uint8Array {
  if (!(node instanceof Uint8Array)) return rlpList(node.map(rlp))
  const [first] = node
  if (node.length === 1 && first !== undefined && first < 0x80) return node
  return Buffer.concat([rlpHead(0x80, node.length), node])
}

const rlpList = (items: readonly Uint8Array[]): Uint8Array => {
  const length = items.reduce((sum, item) => sum + item.length, 0)
  return Buffer.concat([rlpHead(0xc0, length), ...items])
}

/** Lengths above 55 bytes are written in bytes of their own. */
function rlpHead(kind: number, length: number): Buffer {
  if (length <= 55) return Buffer.of(kind + length)
  const digits = length.toString(16)
  const size = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.of(kind + 55 + size.length), size])
}

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
  return Buffer.from(rlp(bytesOf(quantityHex(BigInt(index))))).toString('hex')
}

const bloomBytes = 256

/** Addresses and topics repeat from block to block; a keccak costs a hundred look-ups. */
const rememberedMax = 65_536
const remembered = new LRUCache<string, readonly number[]>({ max: rememberedMax })

/** The 2048-bit bloom of the logs' addresses and topics, as block headers carry it. */
export function bloomOf(logs: Iterable<BloomedLog>): Hex {
  const bloom = new Bloom()
  for (const log of logs) bloom.add(log)
  return bloom.text
}

interface BloomedLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
}

export class Bloom {
  readonly #bits = Buffer.alloc(bloomBytes)

  add({ address, topics }: BloomedLog): void {
    this.#set(address)
    for (const topic of topics) this.#set(topic)
  }

  #set(item: Hex): void {
    for (const bit of bitsOf(item)) {
      const at = bloomBytes - 1 - (bit >> 3)
      this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (bit & 7))
    }
  }

  get text(): Hex {
    return `0x${this.#bits.toString('hex')}`
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
