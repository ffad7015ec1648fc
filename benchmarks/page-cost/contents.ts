import { type Address, address, type Hash, type Hex, hash, hex } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import { type InstanceFacts, instanceFactsOf } from '../../libs/presenters/facts.ts'
import type { LogRow } from '../../libs/presenters/objects/log.ts'
import type { TransferRow } from '../../libs/presenters/objects/transfer.ts'
import { aLog, aTransaction, aTransfer, indexOf } from '../../libs/presenters/testing/rows.ts'
import { firstTransfersMax, packedTransfers } from '../../libs/tables/tables/transaction-columns.ts'
import type { ListedTransaction } from '../../libs/tables/tables/transactions.ts'
import { type SeededRandom, seededRandom } from '../seeded-random.ts'

/** Bytes that the rows of a page have at most, as the tables return them (contract 56). */
const rowBytesMax = 4 * 1024 * 1024
const word = (value: number | bigint): string => value.toString(16).padStart(64, '0')
const padded = (digits: string): string => digits.padEnd(Math.ceil(digits.length / 64) * 64, '0')

/** Contents as strangers make them, the same for the same seed. */
export class Contents {
  readonly random: SeededRandom

  constructor(seed: number) {
    this.random = seededRandom(seed)
  }

  digits(count: number): string {
    let text = ''
    while (text.length < count)
      text += this.random
        .below(2 ** 32)
        .toString(16)
        .padStart(8, '0')
    return text.slice(0, count)
  }

  address(): Address {
    return address(`0x${this.digits(40)}`)
  }

  hash(): Hash {
    return hash(`0x${this.digits(64)}`)
  }

  /** Offsets, then elements; `bytes` of each. */
  bytesArray(count: number, bytes: number): string {
    const element = word(bytes) + padded(this.digits(2 * bytes))
    const offsets = Array.from({ length: count }, (_, at) => {
      return word(32 * count + (at * element.length) / 2)
    })
    return word(count) + offsets.join('') + element.repeat(count)
  }

  /** `multicall(bytes[])` */
  multicall(count: number, bytes: number): Hex {
    return hex(`0xac9650d8${word(32)}${this.bytesArray(count, bytes)}`)
  }

  /** A swap along a path of so many addresses, each another one. */
  swapPath(count: number): Hex {
    const path = Array.from({ length: count }, () => this.digits(40).padStart(64, '0')).join('')
    const head = [1, 1, 160].map(word).join('') + word(9) + word(9)
    return hex(`0x38ed1739${head}${word(count)}${path}`)
  }

  reason(bytes: number): Hex {
    return hex(`0x08c379a0${word(32)}${word(bytes)}${padded('e2809c'.repeat(bytes / 3))}`)
  }

  actions(count: number): string {
    const sum = () => ({ token: this.address(), amount: BigInt(`0x${this.digits(60)}`).toString() })
    const one = () => ({ protocol: 'uniswap_v3', type: 'swap', sums: [sum(), sum()] })
    return JSON.stringify(Array.from({ length: count }, one))
  }

  authorizations(count: number): string {
    const one = () => ({
      chainId: '1',
      nonce: '7',
      delegate: this.address(),
      authority: this.address(),
      signature: { r: `0x${this.digits(64)}`, s: `0x${this.digits(64)}`, yParity: '1' },
      status: 'ok',
    })
    return JSON.stringify(Array.from({ length: count }, one))
  }

  /** As a row holds them. */
  firstTransfers(form: number): Hex {
    const one = (logIndex: number) => ({
      token: this.address(),
      from: this.address(),
      to: this.address(),
      form,
      tokenId: form === indexOf('ERC-20') ? null : BigInt(this.random.below(1_000_000)),
      value: BigInt(`0x${this.digits(60)}`),
      logIndex,
      batchIndex: 0,
      batchSize: 1,
    })
    return packedTransfers(
      this.hash(),
      Array.from({ length: firstTransfersMax }, (_, at) => one(at)),
    )
  }

  batchLog(count: number): LogRow {
    const values = word(count) + Array.from({ length: count }, () => this.digits(64)).join('')
    const data = word(64) + word(64 + 32 * (count + 1)) + values + values
    const indexed = [this.address(), this.address(), this.address()].map((one) =>
      hash(`0x${one.slice(2).padStart(64, '0')}`),
    )
    const topic = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'
    return this.log({ topics: [hash(topic), ...indexed], data: hex(`0x${data}`) })
  }

  log(says: Partial<LogRow>): LogRow {
    return aLog({
      address: this.address(),
      recipient: this.address(),
      transactionHash: this.hash(),
      blockHash: this.hash(),
      ...says,
    })
  }

  transfer(says: Partial<TransferRow> = {}): TransferRow {
    return aTransfer({
      from: this.address(),
      to: this.address(),
      recipient: this.address(),
      transactionHash: this.hash(),
      logIndex: this.random.below(2 ** 31),
      value: BigInt(`0x${this.digits(60)}`),
      ...says,
    })
  }

  transaction(says: Partial<ListedTransaction> = {}): ListedTransaction {
    return aTransaction({
      hash: this.hash(),
      from: this.address(),
      to: this.address(),
      index: this.random.below(2 ** 31),
      ...says,
    })
  }
}

export const metadataKinds = ['urls', 'members', 'lists', 'text', 'escapes'] as const
export type MetadataKind = (typeof metadataKinds)[number]

const times = (count: number, one: (at: number) => string): string =>
  Array.from({ length: Math.floor(count) }, (_, at) => one(at)).join()

const metadataTexts: Readonly<Record<MetadataKind, (by: Contents, size: number) => string>> = {
  urls: (_, size) => `{"image":[${times(size / 12, () => '"ipfs://a"')}]}`,
  members: (_, size) => `{${times(size / 12, (at) => `"m${at}":"a"`)}}`,
  lists: (_, size) => `{"a":[${times(size / 3, () => '[]')}]}`,
  text: (by, size) => `{"a":"${by.digits(size)}"}`,
  escapes: (_, size) => `{"a":"${'\\u0001'.repeat(Math.floor(size / 6))}"}`,
}

/** Metadata as an author publishes it, read as from a row of its table. */
export const metadataOf = (fact: string): InstanceFacts =>
  instanceFactsOf({
    token: address(`0x${'0'.repeat(40)}`),
    tokenId: 1n,
    fact,
    position: position(1),
    isDeleted: 0,
  })

/** The text of a fact: many small urls, members, lists, or one long text. */
export const metadataText = (by: Contents, kind: MetadataKind, characters: number): string =>
  `{"metadata":${metadataTexts[kind](by, characters)}}`

/** As many of these rows as a query returns. */
export function withinBytes<R>(rows: readonly R[], bytesOf: (row: R) => number): readonly R[] {
  let bytes = 0
  const end = rows.findIndex((row) => {
    bytes += bytesOf(row)
    return bytes > rowBytesMax
  })
  return end < 0 ? rows : rows.slice(0, Math.max(1, end))
}
