import type { Block, Transaction, TransactionLog } from '../../libs/chain/block.ts'
import { type Address, address, type Hash, hash, hex, zeroAddress } from '../../libs/chain/hex.ts'
import {
  consecutiveIdsPerLogMax,
  consecutiveTopic,
} from '../../libs/projections/ledger/consecutive-transfers.ts'
import { batchTopic, transferTopic } from '../../libs/projections/ledger/transfers.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { SourceOfValues } from './source-of-values.ts'
import { stripTypes } from './strip-types.ts'

/**
 * What makes a block great: few inputs of megabytes, very many small logs, batches whose ids and
 * values are the same words: 32 bytes a transfer, of new ids (490 gas each), or of the same ids to
 * new holders (some 260 gas), or ranges of ids in a row, of which the first 100,000 count.
 */
export const greatKinds = [
  'inputs',
  'logs',
  'bare',
  'transfers',
  'ids',
  'holders',
  'ranges',
] as const
export type GreatKind = (typeof greatKinds)[number]

/** Arguments of node for a process that publishes or folds one: see fold-great-block.ts. */
export const greatBlockProcess = [...stripTypes, 'test/support/fold-great-block.ts']

const word = (value: number): Hash => hash(`0x${value.toString(16).padStart(64, '0')}`)
const person = (value: number): Address => address(`0x${value.toString(16).padStart(40, '0')}`)
const logsPerTransaction = 1_000
const inputBytes = 4_000_000
/** As many as 2^24 gas pay for, the most that Ethereum lets a transaction use. */
const idsPerBatch = 34_000
/** Of one word. */
const wordCharacters = 64

/** A chain whose middle block makes a message of about `megabytes`. */
export function chainWithGreatBlock(kind: GreatKind, megabytes: number): SourceOfValues {
  const source = new SourceOfValues()
  source.grow(1)
  const plain = source.grow(1)
  source.grow(1)
  source.blocks.set(1, filled(plain, kind, megabytes * 1_000_000))
  return source
}

function filled(block: Block, kind: GreatKind, bytes: number): Block {
  const [pattern] = block.transactions
  if (pattern === undefined) throw new Error('a block without a transaction')
  const made = (index: number): Transaction => transaction(kind, pattern, { index, bytes })
  const each = encodeMessage(made(1)).length
  const count = Math.max(1, Math.round(bytes / each))
  return { ...block, transactions: Array.from({ length: count }, (_, index) => made(index)) }
}

function transaction(
  kind: GreatKind,
  pattern: Transaction,
  { index, bytes }: { index: number; bytes: number },
): Transaction {
  const own = { ...pattern, index, hash: word(0x77_0000 + index), from: person(0x1000 + index) }
  if (kind === 'inputs') {
    const size = Math.min(inputBytes, bytes / 2)
    return {
      ...own,
      input: hex(
        `0x${index
          .toString(16)
          .padStart(8, '0')
          .repeat(size / 4)}`,
      ),
    }
  }
  if (kind === 'ids' || kind === 'holders') {
    const count = Math.min(idsPerBatch, Math.floor(bytes / wordCharacters))
    return { ...own, logs: [batch(kind, index, count)] }
  }
  const logs = Array.from({ length: logsPerTransaction }, (_, at) =>
    log(kind, index * logsPerTransaction + at),
  )
  return { ...own, logs }
}

/** Both offsets name one array: its words are ids and values. */
function batch(kind: GreatKind, index: number, count: number): TransactionLog {
  const first = kind === 'ids' ? index * count : 0
  // In no order, as the worst ones are.
  const idOf = (at: number) => ((first + at + 1) * 0x9e37_79b1) % 2 ** 48
  const words = [0x40, 0x40, count, ...Array.from({ length: count }, (_, at) => idOf(at))]
  const data = hex(`0x${words.map((value) => word(value).slice(2)).join('')}`)
  const topics = [batchTopic, word(1), word(0), word(0x10_0000 + index)]
  return { index, address: person(0x905), topics, data }
}

function range(index: number): TransactionLog {
  const first = index * consecutiveIdsPerLogMax
  const topics = [consecutiveTopic, word(first), word(0), word(0x10_0000 + index)]
  const data = word(first + consecutiveIdsPerLogMax - 1)
  return { index, address: person(0x906), topics, data }
}

function log(kind: GreatKind, index: number): TransactionLog {
  if (kind === 'bare') return { index, address: person(0x900), topics: [], data: hex('0x') }
  if (kind === 'ranges') return range(index)
  const data = word(1 + (index % 1_000))
  if (kind === 'logs') {
    return { index, address: person(0x900), topics: [word(0x1234), word(index)], data }
  }
  // From a tenth of the people to all of them: pairs that move often, and pairs that move once.
  const from = index % 3 === 0 ? zeroAddress : person(0x10_0000 + (index % 1_000))
  const to = person(0x10_0000 + index)
  const topics = [transferTopic, word(Number(BigInt(from))), word(Number(BigInt(to)))]
  return { index, address: person(0x901 + (index % 5)), topics, data }
}
