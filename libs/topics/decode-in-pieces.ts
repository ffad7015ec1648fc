import { z } from 'zod'
import { jsonInPieces } from '../chain/json-in-pieces.ts'
import { pauses } from '../chain/pauses.ts'
import { faultOfPlaces } from './block-form.ts'
import { type BlocksMessage, blocksMessage } from './blocks.ts'
import { type Decoded, decodeMessage, firstIssueOf } from './codec.ts'
import { log, transaction } from './transaction-form.ts'

const object = z.record(z.string(), z.unknown())
const array = z.array(z.unknown())

/**
 * Decodes a large message of `blocks` like `decodeBlocksMessage`, with pauses: transactions and
 * logs are validated as they are read. Never throws.
 */
export async function decodeInPieces(
  bytes: Buffer,
  pieceBytesMax?: number,
): Promise<Decoded<BlocksMessage>> {
  try {
    const pause = pauses()
    const read = new ValidatedParts()
    const keep = read.keep.bind(read)
    const parts = { keep, pause, ...(pieceBytesMax === undefined ? {} : { pieceBytesMax }) }
    const raw = object.parse(await jsonInPieces(bytes, parts))
    if (raw.kind !== 'block.applied' && raw.kind !== 'block.reverted') {
      return decodeMessage(blocksMessage, bytes)
    }
    return withTransactions(raw, read)
  } catch (error) {
    if (error instanceof z.ZodError) return { invalid: firstIssueOf(error, 'message') }
    return { invalid: `not JSON: ${error instanceof Error ? error.message : error}` }
  }
}

type ReadLog = z.output<typeof log>
type ReadTransaction = z.output<typeof transaction>

/** Transactions and logs that were validated where they were read; the others still have to be. */
class ValidatedParts {
  readonly #logs = new WeakMap<object, ReadLog>()
  readonly #transactions = new WeakMap<object, ReadTransaction>()

  keep(path: string, element: unknown, isWhole: boolean): unknown {
    if (path === '/block/transactions/logs') {
      const read = log.parse(element)
      this.#logs.set(read, read)
      return read
    }
    if (path !== '/block/transactions') return element
    const read = isWhole ? transaction.parse(element) : this.#withLogs(element)
    this.#transactions.set(read, read)
    return read
  }

  #withLogs(element: unknown): ReadTransaction {
    const { logs, ...others } = object.parse(element)
    const read = transaction.parse({ ...others, logs: [] })
    return { ...read, logs: array.parse(logs).map((one) => this.#log(one)) }
  }

  #log(element: unknown): ReadLog {
    const known = typeof element === 'object' && element !== null && this.#logs.get(element)
    return known || log.parse(element)
  }

  transaction(element: unknown): ReadTransaction {
    const known = typeof element === 'object' && element !== null && this.#transactions.get(element)
    return known || transaction.parse(element)
  }
}

function withTransactions(
  raw: Record<string, unknown>,
  read: ValidatedParts,
): Decoded<BlocksMessage> {
  const { transactions, ...block } = object.parse(raw.block)
  const message = blocksMessage.parse({ ...raw, block: { ...block, transactions: [] } })
  if (message.kind !== 'block.applied' && message.kind !== 'block.reverted') {
    return { invalid: 'kind: no block' }
  }
  const whole = array.parse(transactions).map((one) => read.transaction(one))
  const fault = faultOfPlaces(whole)
  if (fault !== null) return { invalid: `block: ${fault}` }
  return { message: { ...message, block: { ...message.block, transactions: whole } } }
}
