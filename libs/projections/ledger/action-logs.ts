import { addressInWord, eventTopic, wordDigits, wordOf } from '../../chain/abi-words.ts'
import type { LendingType, PoolType, Protocol, Sum } from '../../chain/action.ts'
import type { TransactionLog } from '../../chain/block.ts'
import type { Address } from '../../chain/hex.ts'

/** A log of a lending contract; `protocol` is null where several generations share the event. */
export interface LendingLog {
  readonly kind: 'lending'
  readonly protocol: Protocol | null
  readonly type: LendingType
  readonly sums: readonly Sum[]
}

/** The burn of a lending protocol's own token, by which its generations differ. */
interface GenerationLog {
  readonly kind: 'generation'
  readonly protocol: Protocol
}

/** What one side of a pool took in and paid out, in smallest units of a token not named. */
export interface Side {
  readonly taken: bigint
  readonly paid: bigint
}

export interface PoolLog {
  readonly kind: 'pool'
  readonly pool: Address
  /** The log's place in its block. */
  readonly index: number
  readonly protocol: Protocol
  readonly type: PoolType
  readonly sides: readonly [Side, Side]
  /** False if amounts are only booked, so that no transfer identifies their tokens. */
  readonly isMoved: boolean
}

export type ActionLog = LendingLog | GenerationLog | PoolLog

/** Decodes a log of lending or of a pool; null for any other, and for a malformed one. */
export function actionLog(log: TransactionLog): ActionLog | null {
  const [topic] = log.topics
  const form = topic === undefined ? undefined : forms.get(topic)
  if (form === undefined || log.topics.length !== form.topics) return null
  return log.data.length === 2 + form.words * wordDigits ? form.read(log) : null
}

interface Form {
  /** How many there must be, the signature's among them: others index other parameters. */
  readonly topics: number
  readonly words: number
  /** Null if an address is none. */
  readonly read: (log: TransactionLog) => ActionLog | null
}

const amountAt = ({ data }: TransactionLog, word: number): bigint => BigInt(wordOf(data, word))
const signedAt = (log: TransactionLog, word: number): bigint =>
  BigInt.asIntN(256, amountAt(log, word))

/** The reserve is always the first indexed parameter. @param word that of the amount. */
function lending(type: LendingType, protocol: Protocol | null, word: number): Form['read'] {
  return (log) => {
    const token = addressInWord(log.topics[1])
    if (token === null) return null
    return { kind: 'lending', protocol, type, sums: [{ token, amount: amountAt(log, word) }] }
  }
}

function liquidation(log: TransactionLog): LendingLog | null {
  const collateral = addressInWord(log.topics[1])
  const debt = addressInWord(log.topics[2])
  if (collateral === null || debt === null) return null
  const sums = [
    { token: debt, amount: amountAt(log, 0) },
    { token: collateral, amount: amountAt(log, 1) },
  ]
  return { kind: 'lending', protocol: null, type: 'liquidation_call', sums }
}

const generation = (protocol: Protocol) => (): GenerationLog => ({ kind: 'generation', protocol })

const taken = (amount: bigint): Side => ({ taken: amount, paid: 0n })
const paid = (amount: bigint): Side => ({ taken: 0n, paid: amount })

/** @param sideOf what one side did; the pool's first token is side 0. */
function pool(
  protocol: Protocol,
  type: PoolType,
  sideOf: (log: TransactionLog, side: 0 | 1) => Side,
): Form['read'] {
  return (log) => ({
    kind: 'pool',
    pool: log.address,
    index: log.index,
    protocol,
    type,
    sides: [sideOf(log, 0), sideOf(log, 1)],
    isMoved: protocol !== 'uniswap_v3' || type !== 'burn',
  })
}

const takenFrom = (word: number) => (log: TransactionLog, side: 0 | 1) =>
  taken(amountAt(log, word + side))
const paidFrom = (word: number) => (log: TransactionLog, side: 0 | 1) =>
  paid(amountAt(log, word + side))

/** Words: taken of both tokens, paid of both. */
const inAndOut = (log: TransactionLog, side: 0 | 1): Side => ({
  taken: amountAt(log, side),
  paid: amountAt(log, 2 + side),
})

/** Words: how much more the pool has of both tokens, below zero where it paid. */
function change(log: TransactionLog, side: 0 | 1): Side {
  const amount = signedAt(log, side)
  return amount < 0n ? paid(-amount) : taken(amount)
}

const [older, newer] = ['aave_v2', 'aave_v3'] as const
const [v2, v3] = ['uniswap_v2', 'uniswap_v3'] as const

/** Own words for the protocols' events: signature, topics and words, and how they read. */
const events: readonly (readonly [string, readonly [number, number], Form['read']])[] = [
  ['Deposit(address,address,address,uint256,uint16)', [4, 2], lending('supply', older, 1)],
  ['Supply(address,address,address,uint256,uint16)', [4, 2], lending('supply', newer, 1)],
  [
    'Borrow(address,address,address,uint256,uint256,uint256,uint16)',
    [4, 4],
    lending('borrow', older, 1),
  ],
  [
    'Borrow(address,address,address,uint256,uint8,uint256,uint16)',
    [4, 4],
    lending('borrow', newer, 1),
  ],
  ['Repay(address,address,address,uint256)', [4, 1], lending('repay', older, 0)],
  ['Repay(address,address,address,uint256,bool)', [4, 2], lending('repay', newer, 0)],
  ['Withdraw(address,address,address,uint256)', [4, 1], lending('withdraw', null, 0)],
  ['LiquidationCall(address,address,address,uint256,uint256,address,bool)', [4, 4], liquidation],
  // Of deposits and of debts; the newer generation has one form for both.
  ['Burn(address,address,uint256,uint256)', [3, 2], generation(older)],
  ['Burn(address,uint256,uint256)', [2, 2], generation(older)],
  ['Burn(address,address,uint256,uint256,uint256)', [3, 3], generation(newer)],

  ['Mint(address,uint256,uint256)', [2, 2], pool(v2, 'mint', takenFrom(0))],
  ['Burn(address,uint256,uint256,address)', [3, 2], pool(v2, 'burn', paidFrom(0))],
  ['Swap(address,uint256,uint256,uint256,uint256,address)', [3, 4], pool(v2, 'swap', inAndOut)],
  [
    'Mint(address,address,int24,int24,uint128,uint256,uint256)',
    [4, 4],
    pool(v3, 'mint', takenFrom(2)),
  ],
  ['Burn(address,int24,int24,uint128,uint256,uint256)', [4, 3], pool(v3, 'burn', paidFrom(1))],
  [
    'Collect(address,address,int24,int24,uint128,uint128)',
    [4, 3],
    pool(v3, 'collect', paidFrom(1)),
  ],
  ['Swap(address,address,int256,int256,uint160,uint128,int24)', [3, 5], pool(v3, 'swap', change)],
]

const forms: ReadonlyMap<string, Form> = new Map(
  events.map(([signature, [topics, words], read]) => [
    eventTopic(signature),
    { topics, words, read },
  ]),
)
