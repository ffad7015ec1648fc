import { describe, expect } from 'vitest'
import { actionsPerTransactionMax } from '../../chain/action.ts'
import { type Address, hash, hex } from '../../chain/hex.ts'
import { transactions, transactionsByAddress } from '../../tables/tables/transactions.ts'
import { eventLog } from '../testing/events.ts'
import {
  alice,
  blockOf,
  bob,
  carol,
  contract,
  type LogFact,
  nftLog,
  transferLog,
} from '../testing/facts.ts'
import { given, law } from '../testing/law.ts'
import { actionsOf } from './actions.ts'
import { BlockTransfers } from './transfers.ts'

const [gold, silver, market, pool] = [contract(1), contract(2), contract(3), contract(4)]
const [tin, copper] = [contract(5), contract(0)]

function of(...facts: LogFact[]) {
  const logs = facts.map((fact, index) => ({ ...fact, index }))
  return actionsOf(logs, [...new BlockTransfers({ transactions: [] }).of({ logs })])
}

const lent = (signature: string, ...values: (string | bigint | number | boolean)[]) =>
  eventLog(market, signature, values)

const supply =
  'event Supply(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint16 indexed code)'
const supplied = (amount: bigint) => lent(supply, gold, alice, bob, amount, 0)
const withdrawn = lent(
  'event Withdraw(address indexed reserve, address indexed user, address indexed to, uint256 amount)',
  ...[gold, alice, bob, 7n],
)
const liquidated = lent(
  'event LiquidationCall(address indexed collateral, address indexed debt, address indexed user, uint256 covered, uint256 seized, address liquidator, bool receivesShares)',
  ...[gold, silver, alice, 5n, 9n, bob, false],
)
const olderShares = eventLog(
  tin,
  'event Burn(address indexed from, address indexed target, uint256 value, uint256 index)',
  [alice, bob, 7n, 1n],
)
const olderDebt = eventLog(tin, 'event Burn(address indexed user, uint256 amount, uint256 index)', [
  alice,
  7n,
  1n,
])
const newerBurn = eventLog(
  tin,
  'event Burn(address indexed from, address indexed target, uint256 value, uint256 increase, uint256 index)',
  [alice, bob, 7n, 0n, 1n],
)

// Decision 13.
describe('lending', () => {
  const sums = [{ token: gold, amount: 7n }]

  law('has the generation of the events that differ', () => {
    const deposit =
      'event Deposit(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, uint16 indexed code)'
    const borrow = (mode: string) =>
      `event Borrow(address indexed reserve, address user, address indexed onBehalfOf, uint256 amount, ${mode} mode, uint256 rate, uint16 indexed code)`
    const repay =
      'address indexed reserve, address indexed user, address indexed repayer, uint256 amount'
    expect(
      of(
        lent(deposit, gold, alice, bob, 7n, 0),
        supplied(7n),
        lent(borrow('uint256'), gold, alice, bob, 7n, 2n, 99n, 0),
        lent(borrow('uint8'), gold, alice, bob, 7n, 2, 99n, 0),
        lent(`event Repay(${repay})`, gold, alice, bob, 7n),
        lent(`event Repay(${repay}, bool useShares)`, gold, alice, bob, 7n, true),
      ),
    ).toEqual([
      { protocol: 'aave_v2', type: 'supply', sums },
      { protocol: 'aave_v3', type: 'supply', sums },
      { protocol: 'aave_v2', type: 'borrow', sums },
      { protocol: 'aave_v3', type: 'borrow', sums },
      { protocol: 'aave_v2', type: 'repay', sums },
      { protocol: 'aave_v3', type: 'repay', sums },
    ])
  })

  law('has, for a shared event, the generation of the last burn before it', () => {
    const withdrawal = { type: 'withdraw', sums }
    expect(of(olderShares, withdrawn)).toEqual([{ protocol: 'aave_v2', ...withdrawal }])
    expect(of(newerBurn, withdrawn)).toEqual([{ protocol: 'aave_v3', ...withdrawal }])
    expect(of(newerBurn, olderShares, withdrawn)).toMatchObject([{ protocol: 'aave_v2' }])
    expect(of(olderShares, newerBurn, withdrawn)).toMatchObject([{ protocol: 'aave_v3' }])
    expect(of(withdrawn, newerBurn)).toEqual([])
  })

  law('lists the debt of a liquidation before the collateral', () => {
    const both = [
      { token: silver, amount: 5n },
      { token: gold, amount: 9n },
    ]
    expect(of(olderDebt, liquidated)).toEqual([
      { protocol: 'aave_v2', type: 'liquidation_call', sums: both },
    ])
    expect(of(newerBurn, liquidated)).toMatchObject([{ protocol: 'aave_v3', sums: both }])
    expect(of(liquidated)).toEqual([])
  })

  law('malformed logs are none', () => {
    const log = supplied(7n)
    const dirty = hash(`0x01${'0'.repeat(22)}${gold.slice(2)}`)
    expect(of({ ...log, topics: log.topics.slice(0, 3) })).toEqual([])
    expect(of({ ...log, topics: log.topics.with(1, dirty) })).toEqual([])
    expect(of({ ...log, data: hex(log.data.slice(0, -2)) })).toEqual([])
    expect(of({ ...log, data: hex(`${log.data}00`) })).toEqual([])
    expect(of({ ...log, topics: [] })).toEqual([])
    for (const at of [1, 2]) {
      const topics = liquidated.topics.with(at, dirty)
      expect(of(newerBurn, { ...liquidated, topics })).toEqual([])
    }
  })
})

const into = (token: Address, amount: bigint) => transferLog(token, [alice, pool], amount)
const outOf = (token: Address, amount: bigint) => transferLog(token, [pool, bob], amount)
const pooled = (signature: string, ...values: (string | bigint | number)[]) =>
  eventLog(pool, signature, values)

const swapped = (...amounts: [bigint, bigint, bigint, bigint]) =>
  pooled(
    'event Swap(address indexed sender, uint256 in0, uint256 in1, uint256 out0, uint256 out1, address indexed to)',
    ...[alice, ...amounts, bob],
  )
const concentratedSwap = (amount0: bigint, amount1: bigint) =>
  pooled(
    'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 price, uint128 liquidity, int24 tick)',
    ...[alice, bob, amount0, amount1, 1n, 2n, -3],
  )
const concentratedBurn = (amount0: bigint, amount1: bigint) =>
  pooled(
    'event Burn(address indexed owner, int24 indexed lower, int24 indexed upper, uint128 amount, uint256 amount0, uint256 amount1)',
    ...[alice, -5, 5, 99n, amount0, amount1],
  )
const collected = (amount0: bigint, amount1: bigint) =>
  pooled(
    'event Collect(address indexed owner, address recipient, int24 indexed lower, int24 indexed upper, uint128 amount0, uint128 amount1)',
    ...[alice, bob, -5, 5, amount0, amount1],
  )

const sumsOf = (first: bigint, second: bigint) => [
  { token: gold, amount: first },
  { token: silver, amount: second },
]
const swap = (protocol: string, sums: unknown) => ({ protocol, type: 'swap', sums })

describe('pools', () => {
  law('list what was paid, then what was received', () => {
    const [paidGold, paidSilver] = [sumsOf(3n, 4n), sumsOf(3n, 4n).reverse()]
    expect(of(into(gold, 3n), outOf(silver, 4n), swapped(3n, 0n, 0n, 4n))).toEqual([
      swap('uniswap_v2', paidGold),
    ])
    expect(of(outOf(gold, 3n), into(silver, 4n), swapped(0n, 4n, 3n, 0n))).toEqual([
      swap('uniswap_v2', paidSilver),
    ])
    expect(of(into(gold, 3n), outOf(silver, 4n), concentratedSwap(3n, -4n))).toEqual([
      swap('uniswap_v3', paidGold),
    ])
    expect(of(outOf(gold, 3n), into(silver, 4n), concentratedSwap(-3n, 4n))).toEqual([
      swap('uniswap_v3', paidSilver),
    ])
  })

  law('list what comes in and what goes out, in the order of their tokens', () => {
    const mint = 'event Mint(address indexed sender, uint256 amount0, uint256 amount1)'
    const burn =
      'event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to)'
    const concentratedMint =
      'event Mint(address sender, address indexed owner, int24 indexed lower, int24 indexed upper, uint128 amount, uint256 amount0, uint256 amount1)'
    const sums = sumsOf(3n, 4n)
    expect(of(into(silver, 4n), into(gold, 3n), pooled(mint, alice, 3n, 4n))).toEqual([
      { protocol: 'uniswap_v2', type: 'mint', sums },
    ])
    expect(of(outOf(gold, 3n), outOf(silver, 4n), pooled(burn, alice, 3n, 4n, bob))).toEqual([
      { protocol: 'uniswap_v2', type: 'burn', sums },
    ])
    const minted = pooled(concentratedMint, alice, bob, -5, 5, 99n, 3n, 4n)
    expect(of(into(gold, 3n), into(silver, 4n), minted)).toEqual([
      { protocol: 'uniswap_v3', type: 'mint', sums },
    ])
    expect(of(outOf(gold, 3n), outOf(silver, 4n), collected(3n, 4n))).toEqual([
      { protocol: 'uniswap_v3', type: 'collect', sums },
    ])
  })

  law(
    'a burn without transfers is explained by the other logs of the pool; one of nothing is ignored',
    () => {
      const taken = [outOf(gold, 3n), outOf(silver, 4n), collected(3n, 4n)]
      expect(of(concentratedBurn(2n, 0n), ...taken)).toMatchObject([
        { type: 'burn', sums: sumsOf(2n, 0n) },
        { type: 'collect' },
      ])
      expect(of(concentratedBurn(0n, 0n), ...taken)).toMatchObject([{ type: 'collect' }])
      expect(of(concentratedBurn(2n, 1n))).toEqual([])
    },
  )

  law('add up what a tax split, and what is the pool’s own since its log before', () => {
    const taxed = [outOf(silver, 1n), into(gold, 3n), outOf(silver, 3n)]
    const told = swap('uniswap_v2', sumsOf(3n, 4n))
    expect(of(...taxed, swapped(3n, 0n, 0n, 4n))).toEqual([told])
    expect(of(...taxed, swapped(3n, 0n, 0n, 4n), ...taxed, swapped(3n, 0n, 0n, 4n))).toEqual([
      told,
      told,
    ])
    const ofOther = transferLog(silver, [carol, bob], 9n)
    expect(of(...taxed, ofOther, swapped(3n, 0n, 0n, 4n))).toEqual([told])
    expect(of(...taxed, into(gold, 1n), swapped(3n, 0n, 0n, 4n))).toEqual([told])
  })

  law('of a token that came and went, contain the difference', () => {
    const moved = [into(gold, 1n), outOf(gold, 5n), into(silver, 8n)]
    expect(of(...moved, swapped(1n, 8n, 5n, 0n))).toEqual([
      swap('uniswap_v2', [
        { token: silver, amount: 8n },
        { token: gold, amount: 4n },
      ]),
    ])
    const like = [into(copper, 1n), outOf(copper, 6n)]
    expect(of(...moved, ...like, swapped(1n, 8n, 5n, 0n))).toHaveLength(1)
    const toItself = [transferLog(gold, [pool, pool], 3n), outOf(gold, 2n), into(silver, 8n)]
    expect(of(...toItself, swapped(3n, 8n, 5n, 0n))).toHaveLength(1)
    expect(of(into(gold, 3n), into(silver, 4n), swapped(3n, 4n, 0n, 0n))).toEqual([])
  })

  law('are omitted if transfers do not determine their tokens', () => {
    const log = swapped(3n, 0n, 0n, 4n)
    expect(of(log)).toEqual([])
    expect(of(into(gold, 3n), log)).toEqual([])
    expect(of(into(gold, 2n), outOf(silver, 4n), log)).toEqual([])
    expect(of(outOf(gold, 3n), into(silver, 4n), log)).toEqual([])
    expect(of(into(silver, 3n), outOf(gold, 4n), log)).toEqual([])
    expect(of(log, into(gold, 3n), outOf(silver, 4n))).toEqual([])
    expect(of(into(gold, 3n), outOf(pool, 4n), log)).toEqual([])
    expect(of(outOf(gold, 3n), into(pool, 4n), swapped(0n, 4n, 3n, 0n))).toEqual([])
    expect(of(into(gold, 3n), nftLog(silver, [pool, bob], 4n), swapped(3n, 0n, 0n, 1n))).toEqual([])
    expect(of(outOf(gold, 3n), outOf(silver, 4n), collected(3n, 0n))).toEqual([])
    expect(of(outOf(gold, 3n), outOf(silver, 4n), concentratedBurn(3n, 4n))).toEqual([])
    expect(of(into(gold, 3n), outOf(gold, 4n), log)).toEqual([])
  })

  law('are omitted if two pairs are possible, unless another of their logs decides', () => {
    const ambiguous = [into(gold, 3n), outOf(silver, 4n), outOf(tin, 4n), swapped(3n, 0n, 0n, 4n)]
    expect(of(...ambiguous)).toEqual([])
    const clear = [into(gold, 5n), outOf(silver, 6n), swapped(5n, 0n, 0n, 6n)]
    expect(of(...ambiguous, ...clear)).toMatchObject([
      { sums: sumsOf(3n, 4n) },
      { sums: sumsOf(5n, 6n) },
    ])
  })

  law('an amount of many tokens decides nothing, neither for a pair nor against one', () => {
    const gems = contract(99)
    const many = (count: number) => [
      ...Array.from({ length: count }, (_, at) => into(contract(11 + at), 3n)),
      ...[outOf(gems, 4n), swapped(3n, 0n, 0n, 4n)],
    ]
    const clear = [into(gold, 5n), outOf(gems, 6n), swapped(5n, 0n, 0n, 6n)]
    expect(of(...many(9), ...clear)).toHaveLength(2)
    expect(of(...many(8), ...clear)).toEqual([])
  })
})

describe('a transaction', () => {
  law('keeps its actions as text on both sides, and nothing as an empty list', () => {
    const text = JSON.stringify([
      { protocol: 'aave_v3', type: 'supply', sums: [{ token: gold, amount: '7' }] },
    ])
    return given(blockOf({ logs: [supplied(7n)] }, { logs: [into(gold, 1n)] }))
      .shows(transactions, [{ actions: text }, { actions: '[]' }])
      .shows(transactionsByAddress, [
        { address: alice, index: 0, actions: text },
        { address: alice, index: 1, actions: '[]' },
        { address: bob, index: 0, actions: text },
        { address: bob, index: 1, actions: '[]' },
      ])
  })

  law('keeps the first actions of many', () => {
    const many = Array.from({ length: actionsPerTransactionMax + 3 }, (_, at) =>
      supplied(BigInt(at)),
    )
    const kept = of(...many)
    expect(kept).toHaveLength(32)
    expect(kept.at(-1)?.sums).toEqual([{ token: gold, amount: 31n }])
  })
})
