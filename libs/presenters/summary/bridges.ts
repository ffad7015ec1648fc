import { wordDigits } from '../../chain/abi-words.ts'
import type { Address } from '../../chain/hex.ts'
import type { Lookups } from '../lookups.ts'
import type { LogRow } from '../objects/log.ts'
import type { ExecutedTransaction } from './executed-transaction.ts'
import type { Flow, Flows } from './flows.ts'
import type { Reading } from './phrase.ts'

/** Bound of the addresses whose tags are looked up for one transaction. */
const candidatesMax = 20

/**
 * What the sender gave to a bridge: an address with that public tag which received it, or emitted a
 * log with exactly that amount.
 */
export function bridgeReadings(executed: ExecutedTransaction, flows: Flows): readonly Reading[] {
  const tokens = flows.paid.filter(({ asset }) => asset.kind !== 'coin')
  // Beside tokens coins are the fee of the message.
  const [given, ...more] = tokens.length > 0 ? tokens : flows.paid
  if (given === undefined || more.length > 0 || flows.received.length > 0) return []
  const { asset } = given
  return candidates(executed, given).map((bridge) => ({
    verb: 'Bridged',
    parts: [{ asset }, 'through', { address: ['bridge', bridge] }],
    holds: ({ lookups }) => isBridge(bridge, lookups),
    requiredAddresses: [bridge],
  }))
}

function candidates({ transfers, logs }: ExecutedTransaction, { asset, others }: Flow) {
  const found = new Set<Address>(others)
  if (asset.kind !== 'coin') {
    for (const { token, to, value } of transfers) {
      const isWhole = asset.kind === 'nfts' || value === asset.amount
      if (token === asset.token && isWhole) found.add(to)
    }
  }
  if (asset.kind !== 'nfts') {
    for (const log of logs) if (containsAmount(log, asset.amount)) found.add(log.address)
  }
  return [...found].slice(0, candidatesMax)
}

/** Whether a log's data contains an amount as a word of its own. */
function containsAmount({ data }: LogRow, amount: bigint): boolean {
  const word = amount.toString(16).padStart(wordDigits, '0')
  // Word by word: a search would stop at each place of a repeated digit.
  for (let at = 2; at + wordDigits <= data.length; at += wordDigits) {
    if (data.startsWith(word, at)) return true
  }
  return false
}

/** By its tags, not by its name: a token of that name is none, nor is the token of a bridge. */
const isBridge = (address: Address, lookups: Lookups): boolean =>
  lookups.token(address) === null &&
  lookups
    .address(address)
    .facts.tags.some(
      ({ slug, tagType }) => tagType !== 'name' && slug.split('-').includes('bridge'),
    )
