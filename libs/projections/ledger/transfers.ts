import { addressInWord, dataWords, eventTopic, wordDigits, wordOf } from '../../chain/abi-words.ts'
import type { Transaction, TransactionLog } from '../../chain/block.ts'
import { coinEmittersOf } from '../../chain/coin-emitters.ts'
import { type Address, type Hash, hash, zeroAddress } from '../../chain/hex.ts'
import { atOnce } from '../../chain/pauses.ts'
import type { Transfer } from '../../chain/token.ts'
import { batchOf, type ItemBatch, mergedItems } from './batch-items.ts'
import {
  type BlockOfLogs,
  type ConsecutiveIds,
  consecutiveIds,
  consecutiveTopic,
  readRanges,
  transfersOfIds,
} from './consecutive-transfers.ts'

/** Topics of the logs that report a transfer, besides {@link consecutiveTopic}. */
export const transferTopic: Hash = hash(
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
)
export const singleTopic: Hash = hash(
  '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
)
export const batchTopic: Hash = hash(
  '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
)

interface Ends {
  readonly from: Address
  readonly to: Address
}

function endsOf(from: string | undefined, to: string | undefined): Ends | null {
  const sender = addressInWord(from)
  const recipient = addressInWord(to)
  return sender === null || recipient === null ? null : { from: sender, to: recipient }
}

type Item = Pick<Transfer, 'form' | 'tokenId' | 'value'>

const alone = (log: TransactionLog, ends: Ends, item: Item): Transfer[] => [
  {
    token: log.address,
    from: ends.from,
    to: ends.to,
    form: item.form,
    tokenId: item.tokenId,
    value: item.value,
    logIndex: log.index,
    batchIndex: 0,
    batchSize: 1,
  },
]

const nft = (id: string): Item => ({ form: 'ERC-721', tokenId: BigInt(id), value: 1n })

/** Three topics: ERC-20. Four: ERC-721. One and three words: ERC-721 of an old collection. */
function transfersOfTransferLog(log: TransactionLog): Transfer[] {
  const [, first, second, third] = log.topics
  if (second !== undefined) {
    const ends = endsOf(first, second)
    if (ends === null) return []
    if (third !== undefined) return alone(log, ends, nft(third))
    if (dataWords(log.data) < 1) return []
    const value = BigInt(wordOf(log.data, 0))
    return alone(log, ends, { form: 'ERC-20', tokenId: null, value })
  }
  if (first !== undefined || log.data.length !== 2 + 3 * wordDigits) return []
  const ends = endsOf(wordOf(log.data, 0), wordOf(log.data, 1))
  return ends === null ? [] : alone(log, ends, nft(wordOf(log.data, 2)))
}

/** The topics after the first: operator, from, to. All three are address words. */
function endsOfMany(topics: readonly Hash[]): Ends | null {
  return addressInWord(topics[1]) === null ? null : endsOf(topics[2], topics[3])
}

function transfersOfSingle(log: TransactionLog): Transfer[] {
  const ends = endsOfMany(log.topics)
  if (ends === null || dataWords(log.data) < 2) return []
  const tokenId = BigInt(wordOf(log.data, 0))
  return alone(log, ends, { form: 'ERC-1155', tokenId, value: BigInt(wordOf(log.data, 1)) })
}

function* transfersOfBatch(log: TransactionLog): PacedTransfers {
  const ends = endsOfMany(log.topics)
  const batch: ItemBatch | null = ends === null ? null : batchOf(log.data)
  if (ends === null || batch === null) return
  const place = { token: log.address, form: 'ERC-1155', ...ends, logIndex: log.index } as const
  const batchSize = batch.count
  for (const item of mergedItems(batch)) {
    if (item === null) yield null
    else
      yield {
        ...place,
        tokenId: item.tokenId,
        value: item.value,
        batchIndex: item.index,
        batchSize,
      }
  }
}

/** The transfers of a log that stands for one transfer, or for a batch of ERC-1155. */
function transfersOfLog(log: TransactionLog): Iterable<Transfer | null> {
  switch (log.topics[0]) {
    case transferTopic:
      return transfersOfTransferLog(log)
    case singleTopic:
      return transfersOfSingle(log)
    case batchTopic:
      return transfersOfBatch(log)
    default:
      return []
  }
}

/** Null: nothing yet, after a bounded piece of work. */
type PacedTransfers = Generator<Transfer | null>

const transferTopics: ReadonlySet<string | undefined> = new Set([
  transferTopic,
  singleTopic,
  batchTopic,
  consecutiveTopic,
])

/** Whether a log has the topic of a transfer. */
export const hasTransferTopic = ({ topics }: TransactionLog): boolean =>
  transferTopics.has(topics[0])

/** What a log moves of an amount, or of a count of ids. */
type MovedAmount = Pick<Transfer, 'token' | 'form' | 'from' | 'to' | 'value'>

/** The transfers of a block. How many ids a ConsecutiveTransfer may have depends on the others. */
export class BlockTransfers {
  /** Collections of which a range was too long: what they own is unknown from this block on. */
  readonly unread = new Set<Address>()
  readonly #coinEmitters: ReadonlySet<Address>
  readonly #readRanges: ReadonlySet<TransactionLog>

  /** Looks through the whole block; yields `place` where other work can be done meanwhile. */
  static *paced<T>(block: BlockOfLogs, place: T): Generator<T, BlockTransfers> {
    return new BlockTransfers(block, yield* readRanges(block, place))
  }

  /** Of a block at once: for blocks that are known to be small. */
  constructor(block: BlockOfLogs, ranges = atOnce(readRanges(block, null))) {
    this.#coinEmitters = coinEmittersOf(block)
    this.#readRanges = ranges
  }

  /** The transfers of a log; none if it is malformed. Decisions 22, 32, 34, 62, 63. */
  *ofLog(log: TransactionLog): Generator<Transfer> {
    for (const transfer of this.pacedOfLog(log)) if (transfer !== null) yield transfer
  }

  /** The same; null is a place to do other work: one log may have hundreds of thousands. */
  pacedOfLog(log: TransactionLog): Iterable<Transfer | null> {
    if (this.#coinEmitters.has(log.address)) return []
    const ids = consecutiveIds(log)
    if (ids === null) return transfersOfLog(log)
    return this.#isRead(log, ids) ? transfersOfIds(ids) : []
  }

  /** What a log moves but of ERC-1155; ids in a row at once, however many. */
  amountsOfLog(log: TransactionLog): readonly MovedAmount[] {
    if (this.#coinEmitters.has(log.address)) return []
    const ids = consecutiveIds(log)
    if (ids === null) return log.topics[0] === transferTopic ? transfersOfTransferLog(log) : []
    return this.#isRead(log, ids) ? [{ ...ids, form: 'ERC-721', value: ids.count }] : []
  }

  #isRead(log: TransactionLog, { token }: ConsecutiveIds): boolean {
    const isRead = this.#readRanges.has(log)
    if (!isRead) this.unread.add(token)
    return isRead
  }

  /** All transfers of a transaction, in the order of its logs. */
  *of({ logs }: Pick<Transaction, 'logs'>): Generator<Transfer> {
    for (const log of logs) yield* this.ofLog(log)
  }
}

/** All transfers of a transaction as if it were the only one of a block. */
export const transfersOf = (transaction: Transaction): Transfer[] => [
  ...new BlockTransfers({ transactions: [transaction] }).of(transaction),
]

/** `Deposit(address,uint256)` and `Withdrawal(address,uint256)` of wrapped coins. */
export const depositTopic: Hash = hash(
  '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
)
export const withdrawalTopic: Hash = hash(
  '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65',
)

/**
 * The account whose balance a log changes without a transfer; null for any other log. Some tokens
 * emit a transfer as well, and some contracts use the same events for something else: the only
 * conclusion is that transfers do not explain the balance (decision 23).
 */
export function wrappingHolder(log: TransactionLog): Address | null {
  const { topics } = log
  const [topic, account] = topics
  if (topic !== depositTopic && topic !== withdrawalTopic) return null
  const { data } = log
  // Old contracts index nothing, others the amount too.
  const words = dataWords(data)
  const isWhole = topics.length === 3 ? words === 0 : topics.length + words > 2
  if (topics.length > 3 || !isWhole) return null
  const holder = addressInWord(account ?? wordOf(data, 0))
  return holder === zeroAddress ? null : holder
}

/**
 * Events by which known tokens report that all of their balances have changed: Ampleforth's, that
 * of Olympus, Lido's.
 */
const rebaseTopics: ReadonlySet<Hash | undefined> = new Set([
  eventTopic('LogRebase(uint256,uint256)'),
  eventTopic('LogRebase(uint256,uint256,uint256)'),
  eventTopic('TokenRebased(uint256,uint256,uint256,uint256,uint256,uint256,uint256)'),
])

/** Whether the token that emitted a log says so that transfers do not explain its balances. */
export const isRebase = ({ topics }: TransactionLog): boolean => rebaseTopics.has(topics[0])
