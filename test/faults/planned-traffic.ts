import {
  type Address,
  address,
  type Hash,
  type Hex,
  hash,
  zeroAddress,
} from '../../libs/chain/hex.ts'
import type { Random } from '../queries/random.ts'

/** A transaction of one contract, and what it logs. */
export interface Traffic {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly input: Hex
  readonly logs: readonly Log[]
}

interface Log {
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
}

const named = (number: number): Address => address(`0x${number.toString(16).padStart(40, '0')}`)
const word = (value: bigint): Hash => hash(`0x${value.toString(16).padStart(64, '0')}`)
const wordOf = (of: Address): Hash => hash(`0x${of.slice(2).padStart(64, '0')}`)

/** Every block moves some of this coin, so that its newest transfer is in the newest block. */
export const coin = named(0xc01)
export const otherCoin = named(0xc02)
export const collection = named(0xc03)
export const tokens: readonly Address[] = [coin, otherCoin, collection]
/** Deposits and withdrawals change its balances without a transfer: only the node returns them. */
export const wrapped = named(0xc04)
/** Contracts of an attacker: `chain-node.ts` has what they answer. */
export const foes: readonly Address[] = [named(0xbad1), named(0xbad2), named(0xbad3)]
export const people: readonly Address[] = Array.from({ length: 12 }, (_, at) => named(0xa00 + at))

const transferTopic = hash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
const depositTopic = hash('0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c')
const withdrawalTopic = hash('0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65')
const transferInput = (to: Address, value: bigint): Hex =>
  `0xa9059cbb${wordOf(to).slice(2)}${word(value).slice(2)}`

/** What stands at the end of a block. */
export interface Holdings {
  /** By coin and holder. */
  readonly balances: ReadonlyMap<string, bigint>
  /** Of the items of the collection, by number from 0. */
  readonly owners: readonly Address[]
}
export const nothingHeld: Holdings = { balances: new Map(), owners: [] }

/** The transactions of one block, and what they lead to. Nobody spends what he has not. */
export function trafficAfter(
  before: Holdings,
  random: Random,
): { readonly traffic: readonly Traffic[]; readonly after: Holdings } {
  const balances = new Map(before.balances)
  const owners = [...before.owners]
  const coins = [coin, ...Array.from({ length: random.below(3) }, () => otherCoin)]
  const traffic = coins.map((token) => paid(token, balances, random))
  if (random.below(2) === 0) traffic.push(given(owners, random))
  if (random.below(2) === 0) traffic.push(wrapping(balances, random))
  if (random.below(3) === 0) traffic.push(pretended(random))
  return { traffic, after: { balances, owners } }
}

function paid(token: Address, balances: Map<string, bigint>, random: Random): Traffic {
  const [someone, to] = [random.oneOf(people), random.oneOf(people)]
  const held = balances.get(token + someone) ?? 0n
  const isMint = held === 0n
  const value = isMint
    ? BigInt(1_000 + random.below(1_000))
    : 1n + BigInt(random.below(Number(held)))
  if (!isMint) balances.set(token + someone, held - value)
  balances.set(token + to, (balances.get(token + to) ?? 0n) + value)
  const source = isMint ? zeroAddress : someone
  const topics = [transferTopic, wordOf(source), wordOf(to)]
  const log = { address: token, topics, data: word(value) }
  return { from: someone, to: token, value: 0n, input: transferInput(to, value), logs: [log] }
}

function given(owners: Address[], random: Random): Traffic {
  const to = random.oneOf(people)
  const item = random.below(owners.length + 1)
  const source = owners[item] ?? zeroAddress
  owners[item] = to
  const topics = [transferTopic, wordOf(source), wordOf(to), word(BigInt(item))]
  const log = { address: collection, topics, data: '0x' as const }
  const from = source === zeroAddress ? to : source
  const value = BigInt(random.below(3))
  return { from, to: collection, value, input: '0x23b872dd', logs: [log] }
}

/** Coin goes into the wrapped one, or out of it, or on to somebody. */
function wrapping(balances: Map<string, bigint>, random: Random): Traffic {
  const [someone, to] = [random.oneOf(people), random.oneOf(people)]
  const held = balances.get(wrapped + someone) ?? 0n
  const manner = held === 0n ? 0 : random.below(3)
  const value = manner === 0 ? BigInt(1_000 + random.below(1_000)) : 1n + held / 2n
  const call = { from: someone, to: wrapped, value: manner === 0 ? value : 0n }
  if (manner === 2) {
    balances.set(wrapped + someone, held - value)
    balances.set(wrapped + to, (balances.get(wrapped + to) ?? 0n) + value)
    const topics = [transferTopic, wordOf(someone), wordOf(to)]
    const logs = [{ address: wrapped, topics, data: word(value) }]
    return { ...call, input: transferInput(to, value), logs }
  }
  balances.set(wrapped + someone, manner === 0 ? held + value : held - value)
  const topics = [manner === 0 ? depositTopic : withdrawalTopic, wordOf(someone)]
  return { ...call, input: '0xd0e30db0', logs: [{ address: wrapped, topics, data: word(value) }] }
}

/** What looks like a token and a wrapped coin, and wants to be asked about both. */
function pretended(random: Random): Traffic {
  const [foe, someone] = [random.oneOf(foes), random.oneOf(people)]
  const minted = [transferTopic, wordOf(zeroAddress), wordOf(someone)]
  const logs = [
    { address: foe, topics: minted, data: word(1n) },
    { address: foe, topics: [depositTopic, wordOf(someone)], data: word(1n) },
  ]
  return { from: someone, to: foe, value: 0n, input: '0x01', logs }
}
