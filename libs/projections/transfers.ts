import type { Log, Transaction } from '../chain/block.ts'
import { type Address, type Hash, hash } from '../chain/hex.ts'
import { addressInWord, dataWords, wordDigits, wordOf } from '../chain/log-words.ts'
import type { Transfer } from '../chain/transfer.ts'
import { type BatchItem, batchItems, mergedItems } from './transfer-batch.ts'

/** Topics of the four logs that say that something was transferred. */
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

const alone = (log: Log, ends: Ends, item: Item): Transfer[] => [
  { token: log.address, ...ends, ...item, logIndex: log.index, batchIndex: 0, batchSize: 1 },
]

const nft = (id: string): Item => ({ form: 'ERC-721', tokenId: BigInt(id), value: 1n })

/** Three topics: ERC-20. Four: ERC-721. One and three words: ERC-721 of an old collection. */
function transfersOfTransferLog(log: Log): Transfer[] {
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

function transfersOfSingle(log: Log): Transfer[] {
  const ends = endsOfMany(log.topics)
  if (ends === null || dataWords(log.data) < 2) return []
  const tokenId = BigInt(wordOf(log.data, 0))
  return alone(log, ends, { form: 'ERC-1155', tokenId, value: BigInt(wordOf(log.data, 1)) })
}

function transfersOfBatch(log: Log): Transfer[] {
  const ends = endsOfMany(log.topics)
  const items: readonly BatchItem[] | null = ends === null ? null : batchItems(log.data)
  if (ends === null || items === null) return []
  return mergedItems(items).map(({ tokenId, value, index }) => ({
    token: log.address,
    form: 'ERC-1155',
    ...ends,
    tokenId,
    value,
    logIndex: log.index,
    batchIndex: index,
    batchSize: items.length,
  }))
}

/** The transfers of a log; none if it is malformed. Decisions 22, 32, 34. */
export function transfersOfLog(log: Log): Transfer[] {
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

/** All transfers of a transaction, in the order of its logs. */
export const transfersOf = (transaction: Transaction): Transfer[] =>
  transaction.logs.flatMap(transfersOfLog)
