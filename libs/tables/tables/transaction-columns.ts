import { z } from 'zod'
import type { Address, Hash, Hex } from '../../chain/hex.ts'
import type { Row } from '../declare/table.ts'
import type { transactions } from './transactions.ts'

/** Columns of a transaction with a form of their own: `firstTransfers` and `extras`. */

/** Transfers of a row of a list. */
export const firstTransfersMax = 10

/** What a row of a list holds of a transfer; all else is its transaction's. */
export interface FirstTransfer {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly logIndex: number
  readonly batchIndex: number
  readonly batchSize: number
  /** Index in `standards`. */
  readonly form: number
  readonly tokenId: bigint | null
  readonly value: bigint
}

/**
 * The column `firstTransfers`: the hash of the block, then of each transfer its addresses and its
 * numbers, each a byte with its length and its bytes, most significant first and none for zero;
 * nothing where there are no transfers. In one body with the input, which has the same addresses
 * and amounts, they take half of what JSON takes (`benchmarks/NOTES.md`, Bytes of the ledger).
 */
export function packedTransfers(blockHash: Hash, transfers: readonly FirstTransfer[]): Hex {
  if (transfers.length === 0) return '0x'
  const each = transfers.map(
    ({ token, from, to, logIndex, batchIndex, batchSize, form, tokenId, value }) =>
      digits(token) +
      digits(from) +
      digits(to) +
      numberBytes(logIndex) +
      numberBytes(batchIndex) +
      numberBytes(batchSize) +
      numberBytes(form) +
      (tokenId === null ? noNumber : numberBytes(tokenId)) +
      numberBytes(value),
  )
  return `0x${digits(blockHash)}${each.join('')}`
}

const digits = (hex: Hex): string => hex.slice('0x'.length)

/** Instead of a length. */
const noNumber = 'ff'

function numberBytes(value: number | bigint): string {
  const hex = Number(value) === 0 ? '' : value.toString(16)
  const even = hex.length % 2 === 0 ? hex : `0${hex}`
  return (even.length / 2).toString(16).padStart(2, '0') + even
}

/** Null where there are none. @throws RangeError for bytes that no transfers are */
export function unpackedTransfers(
  bytes: Hex,
): { readonly blockHash: Hash; readonly transfers: readonly FirstTransfer[] } | null {
  if (bytes === '0x') return null
  const source = new HexSource(bytes)
  const blockHash = source.bytes(32, isHash)
  const transfers: FirstTransfer[] = []
  while (!source.isDone) {
    transfers.push({
      token: source.bytes(20, isAddress),
      from: source.bytes(20, isAddress),
      to: source.bytes(20, isAddress),
      logIndex: source.number(),
      batchIndex: source.number(),
      batchSize: source.number(),
      form: source.number(),
      tokenId: source.amountOrNull(),
      value: source.amountOrNull() ?? 0n,
    })
  }
  return { blockHash, transfers }
}

const isHash = (text: Hex): text is Hash => text.length === 66
const isAddress = (text: Hex): text is Address => text.length === 42

class HexSource {
  private readonly hex: string
  private at = '0x'.length

  constructor(hex: Hex) {
    this.hex = hex
  }

  get isDone(): boolean {
    return this.at >= this.hex.length
  }

  private take(bytes: number): string {
    const start = this.at
    this.at += 2 * bytes
    if (this.at > this.hex.length) throw new RangeError(`transfers end too early: ${this.hex}`)
    return this.hex.slice(start, this.at)
  }

  bytes<T extends Hex>(count: number, isOfType: (text: Hex) => text is T): T {
    const text: Hex = `0x${this.take(count)}`
    if (isOfType(text)) return text
    throw new RangeError(`not ${count} bytes: ${text}`)
  }

  number(): number {
    return Number.parseInt(`0${this.take(Number.parseInt(this.take(1), 16))}`, 16)
  }

  amountOrNull(): bigint | null {
    const length = this.take(1)
    return length === noNumber ? null : BigInt(`0x0${this.take(Number.parseInt(length, 16))}`)
  }
}

const amountText = z.string().nullable()
const extrasForm = z.object({
  rollupFee: amountText,
  blob: z
    .object({
      blobVersionedHashes: z.array(z.string()).nullable(),
      maxFeePerBlobGas: amountText,
      blobGasUsed: amountText,
      blobGasPrice: amountText,
    })
    .nullable(),
})
type Extras = z.output<typeof extrasForm>

const noExtras: Extras = { rollupFee: null, blob: null }

/** @param text JSON, as the row holds it: empty for most */
export const storedExtras = (text: string): Extras =>
  text === '' ? noExtras : extrasForm.parse(JSON.parse(text))

type Paid = Pick<Row<typeof transactions>, 'gasUsed' | 'gasPrice' | 'extras'>

/** What was paid, in wei, without the blob fee: the same sum as in the key of its table. */
export const feeOf = ({ gasUsed, gasPrice, extras }: Paid): bigint =>
  gasUsed * gasPrice + BigInt(storedExtras(extras).rollupFee ?? 0)
