import type { Block, Transaction, TransactionLog } from '../../libs/chain/block.ts'
import { type Address, address, type Hash, hash, hex, zeroAddress } from '../../libs/chain/hex.ts'
import { transferTopic } from '../../libs/projections/transfers.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { SourceOfValues } from './source-of-values.ts'
import { stripTypes } from './strip-types.ts'

/** What makes a block great: few inputs of megabytes, or very many small logs. */
export const greatKinds = ['inputs', 'logs', 'transfers'] as const
export type GreatKind = (typeof greatKinds)[number]

/** Arguments of node for a process that publishes or folds one: see fold-great-block.ts. */
export const greatBlockProcess = [...stripTypes, 'test/support/fold-great-block.ts']

const word = (value: number): Hash => hash(`0x${value.toString(16).padStart(64, '0')}`)
const person = (value: number): Address => address(`0x${value.toString(16).padStart(40, '0')}`)
const logsPerTransaction = 1_000
const inputBytes = 4_000_000

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
  const logs = Array.from({ length: logsPerTransaction }, (_, at) =>
    log(kind, index * logsPerTransaction + at),
  )
  return { ...own, logs }
}

function log(kind: GreatKind, index: number): TransactionLog {
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
