import { expect, test } from 'vitest'
import { zeroAddress } from '../chain/hex.ts'
import type { BlocksMessage } from '../topics/blocks.ts'
import type { BlocksGroup } from './group.ts'
import { listedPerMessageMax, stateGroup } from './state/state-group.ts'
import {
  alice,
  balance,
  blockOf,
  bob,
  contract,
  depositLog,
  emitted,
  type Fact,
  gap,
  minted,
  nftMoved,
  observed,
  person,
  transferred,
} from './testing/facts.ts'
import { listed } from './testing/folded-at-once.ts'
import { expectWayBack, InMemoryGroup, shown } from './testing/law.ts'
import { logOf, withoutEarlierCode } from './testing/log-of.ts'

const coin = contract(1)
const cats = contract(3)

/** What one message costs: changes are what is written, undone, and made into rows. */
class Counting extends InMemoryGroup {
  private readonly counts: number[]

  constructor() {
    const counts: number[] = []
    const counted: BlocksGroup = {
      ...stateGroup,
      *change(state, message) {
        const changes = listed(yield* stateGroup.change(state, message))
        counts.push(changes.length)
        return changes
      },
    }
    super(counted)
    this.counts = counts
  }

  of(messages: readonly BlocksMessage[]): number[] {
    this.counts.length = 0
    this.fold(messages)
    return [...this.counts]
  }
}

const folding = (facts: readonly Fact[]): readonly [Counting, number[]] => {
  const runner = new Counting()
  return [runner, runner.of(logOf(withoutEarlierCode(facts)))]
}

const people = Array.from({ length: 3_000 }, (_, n) => person(n + 100))
/** Token, its holders, the two who transfer, and the chain. */
const fewMax = 12

test('a first transfer touches its own pairs, however many got deposits before', () => {
  const deposits = emitted(...people.map((who) => depositLog(coin, who, 1n)))
  const [, changes] = folding([deposits, transferred(coin, [alice, bob], 1n)])
  expect(changes[0]).toBeGreaterThan(people.length)
  expect(changes[1]).toBeLessThan(fewMax)
})

test('a gap touches nothing but the chain, however much is known', () => {
  const mints = people.map((who) => minted(coin, who, 5n))
  const all = { ...blockOf(), transactions: mints.flatMap(({ transactions }) => transactions) }
  const [runner, changes] = folding([all, gap(3), transferred(coin, [alice, bob], 1n)])
  expect(changes[1]).toBe(1)
  expect(changes[2]).toBeLessThan(fewMax)
  for (const table of ['balances', 'balances_by_value', 'holders']) {
    expect(runner.tables.rowsOf(table)).toEqual([])
  }
  expect(runner.tables.rowsOf('token_state')).toMatchObject([
    { token: coin, totalSupply: null, holdersCount: null, isComplete: false },
  ])
})

test('a hole between what was observed and the first block costs that block little', () => {
  const facts = [observed(seen(), { age: 3 }), transferred(coin, [alice, bob], 1n)]
  const runner = new Counting()
  expect(runner.of(logOf(facts, 1_000))[1]).toBeLessThan(listedPerMessageMax + fewMax)
  expect(runner.tables.rowsOf('balances')).toEqual([])
})

const seen = () => ({
  balances: people.flatMap((who) => balance(coin, who, [null, 7n]).balances),
  supplies: [{ token: coin, value: 7n * BigInt(people.length) }],
})

/** More than one message lists; then each of these lists some more. */
const idle = (blocks: number): Fact[] => Array.from({ length: blocks }, () => blockOf())

test('what was observed before the first transfer is listed message by message', () => {
  const facts = [observed(seen()), transferred(coin, [zeroAddress, bob], 1n), ...idle(3)]
  const [runner, changes] = folding(facts)
  for (const count of changes.slice(1)) expect(count).toBeLessThan(2 * listedPerMessageMax + fewMax)
  expect(changes.at(-1)).toBe(0)
  expect(runner.tables.rowsOf('holders')).toHaveLength(people.length + 1)
  expect(runner.tables.rowsOf('balances_by_value')).toHaveLength(people.length + 1)
  expect(runner.tables.rowsOf('token_state')).toMatchObject([{ holdersCount: people.length + 1 }])
})

test('so are owners of ids, who count each of them once', () => {
  const owners = people.map((owner, n) => ({ token: cats, tokenId: BigInt(n), owner }))
  const facts = [observed({ owners }), nftMoved(cats, [zeroAddress, bob], 9_999n), ...idle(3)]
  const [runner, changes] = folding(facts)
  for (const count of changes.slice(1)) expect(count).toBeLessThan(3 * listedPerMessageMax + fewMax)
  expect(runner.tables.rowsOf('instances')).toHaveLength(people.length + 1)
  expect(runner.tables.rowsOf('nfts_by_owner')).toHaveLength(people.length + 1)
  expect(runner.tables.rowsOf('balances')).toHaveLength(people.length + 1)
})

test('a reorganisation takes back what was listed, and lists it again', () => {
  const facts = [observed(seen()), transferred(coin, [zeroAddress, bob], 1n), ...idle(4)]
  expectWayBack(logOf(facts), stateGroup)
})

test('who moves before his turn is listed once', () => {
  const late = people.at(-1) ?? alice
  const facts = [
    observed(seen()),
    transferred(coin, [zeroAddress, bob], 1n),
    transferred(coin, [late, bob], 3n),
    ...idle(3),
  ]
  const [runner] = folding(facts)
  expect(runner.tables.rowsOf('holders')).toHaveLength(people.length + 1)
  const held = runner.tables.rowsOf('balances').map((row) => Reflect.get(row, 'value'))
  expect(held.filter((value) => value === 4n)).toHaveLength(2)
  expect(shown(runner.tables.all())).toEqual(shown(folding(facts)[0].tables.all()))
})
