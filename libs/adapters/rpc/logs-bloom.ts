import { keccak_256 } from '@noble/hashes/sha3'
import { LRUCache } from 'lru-cache'
import type { Hex } from '../../chain/hex.ts'

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
