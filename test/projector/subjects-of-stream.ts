import { type Address, type Hash, zeroAddress } from '../../libs/chain/hex.ts'
import { coin, collection, hashOf, person } from '../../services/projector/testing/messages.ts'
import type { Stream } from '../../services/projector/testing/stream.ts'
import type { Random } from '../queries/random.ts'

/** Whom the lists are asked about: all that the log names, also in blocks that were reverted. */
export interface StreamSubjects {
  readonly addresses: readonly Address[]
  /** Those whose own lists are walked; all others are looked up. */
  readonly walkedAddresses: readonly Address[]
  readonly tokens: readonly Address[]
  readonly tokenIds: readonly bigint[]
  readonly topics: readonly Hash[]
  readonly hashes: readonly Hash[]
  /** As of addresses. */
  readonly walkedHashes: readonly Hash[]
}

const walkedAddressesMax = 8
const walkedHashesMax = 8
const topicsMax = 3

export function subjectsOfStream({ canonical }: Stream, random: Random): StreamSubjects {
  const addresses = new Set([zeroAddress, coin, collection])
  const topics = new Set<Hash>()
  const hashes = new Set<Hash>()
  for (const message of canonical) {
    if (message.kind === 'state.observed') {
      for (const { holder } of message.balances) addresses.add(holder)
    }
    if (message.kind !== 'block.applied') continue
    for (const { from, to, hash, logs } of message.block.transactions) {
      hashes.add(hash)
      addresses.add(from)
      if (to !== null) addresses.add(to)
      for (const topic of logs.flatMap((log) => log.topics)) topics.add(topic)
    }
  }
  // One of each kind that no message names.
  const nowhere = hashOf('nowhere')
  const nobody = person(99)
  return {
    addresses: [...addresses, nobody],
    walkedAddresses: [...someOf([...addresses], walkedAddressesMax, random), nobody],
    tokens: [coin, collection],
    tokenIds: [0n, 1n, 2n, 3n, 4n],
    topics: [...someOf([...topics], topicsMax, random), nowhere],
    hashes: [...hashes, nowhere],
    walkedHashes: [...someOf([...hashes], walkedHashesMax, random), nowhere],
  }
}

function someOf<T>(all: readonly T[], countMax: number, random: Random): T[] {
  const rest = [...all]
  const some: T[] = []
  while (rest.length > 0 && some.length < countMax) {
    some.push(...rest.splice(random.below(rest.length), 1))
  }
  return some
}
