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

/** Every block moves some of this coin, so that its newest transfer tells the newest block. */
export const coin = named(0xc01)
export const otherCoin = named(0xc02)
export const collection = named(0xc03)
export const tokens: readonly Address[] = [coin, otherCoin, collection]
export const people: readonly Address[] = Array.from({ length: 12 }, (_, at) => named(0xa00 + at))

const transferTopic = hash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
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
