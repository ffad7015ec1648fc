import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type Address, zeroAddress } from '../../libs/chain/hex.ts'
import { isCreation, type PeerShape, peerChain, transferOf } from './peer-chain.ts'

/** A list that both have; keys are texts of all that an item of both shows. */
export interface PeerList {
  readonly name: string
  /** Below the root of Ponder's API, and below `/api/v2` of Foldscan's. */
  readonly path: (subject: string) => string
  readonly keyOfFoldscan: (item: unknown) => string
  readonly keyOfPonder: (item: unknown) => string
  /** Of the first page, computed from the chain alone. */
  readonly expected: (world: NaiveWorld, subject: string) => readonly string[]
}

interface Moved {
  readonly token: Address
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly block: number
  readonly logIndex: number
  readonly position: number
  readonly hash: string
  readonly timestamp: number
}

/** All that happened, in order, and what came of it. */
export interface NaiveWorld {
  readonly sent: ReadonlyMap<string, readonly Moved[]>
  readonly moved: ReadonlyMap<string, readonly Moved[]>
  readonly balances: ReadonlyMap<string, ReadonlyMap<Address, bigint>>
  /** The token that moved last in each block. */
  readonly lastTokens: ReadonlyMap<number, Address>
}

const peerPageSize = 50

export function naiveWorld(shape: PeerShape): NaiveWorld {
  const lastTokens = new Map<number, Address>()
  const sent = new Map<Address, Moved[]>()
  const moved = new Map<Address, Moved[]>()
  const balances = new Map<Address, Map<Address, bigint>>()
  for (const { block } of peerChain(shape)) {
    for (const transaction of block.transactions) {
      if (isCreation(transaction)) continue
      const { token, from, to, value, logIndex } = transferOf(transaction)
      const { hash, index: position } = transaction
      const place = { block: block.number, logIndex, position, timestamp: block.timestamp }
      const one: Moved = { token, from, to, value, hash, ...place }
      listIn(sent, transaction.from).push(one)
      listIn(moved, token).push(one)
      lastTokens.set(block.number, token)
      const of = balances.get(token) ?? new Map<Address, bigint>()
      balances.set(token, of)
      if (from !== zeroAddress) of.set(from, (of.get(from) ?? 0n) - value)
      of.set(to, (of.get(to) ?? 0n) + value)
    }
  }
  return { sent, moved, balances, lastTokens }
}

function listIn(lists: Map<Address, Moved[]>, key: Address): Moved[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}

const lower = (text: string) => text.toLowerCase()
const secondsOf = (time: string) => Date.parse(time) / 1_000
const party = z.object({ hash: z.string() })
const foldscanTransfer = z.object({
  block_number: z.int(),
  log_index: z.int(),
  transaction_hash: z.string(),
  timestamp: z.string(),
  from: party,
  to: party,
  token: z.object({ address_hash: z.string() }),
  total: z.object({ value: z.string() }),
})
const foldscanTransaction = z.object({
  position: z.int(),
  token_transfers: z.tuple([z.unknown()]),
})
const foldscanHolder = z.object({ address: party, value: z.string() })
const ponderTransfer = z.object({
  token: z.string(),
  from: z.string(),
  to: z.string(),
  value: z.string(),
  block: z.int(),
  logIndex: z.int(),
  timestamp: z.int(),
  transaction: z.string(),
  position: z.int(),
})
const ponderHolder = z.object({ holder: z.string(), value: z.string() })

const transferKey = (
  one: Omit<Moved, 'position' | 'value'> & { readonly value: bigint | string },
) =>
  [one.block, one.logIndex, one.hash, one.timestamp, one.from, one.to, one.token, one.value].join(
    ' ',
  )

function keyOfFoldscanTransfer(item: unknown): string {
  const said = foldscanTransfer.parse(item)
  return [
    ...[said.block_number, said.log_index, said.transaction_hash, secondsOf(said.timestamp)],
    ...[lower(said.from.hash), lower(said.to.hash), lower(said.token.address_hash)],
    said.total.value,
  ].join(' ')
}

function keyOfPonderTransfer(item: unknown): string {
  const said = ponderTransfer.parse(item)
  return [
    ...[said.block, said.logIndex, said.transaction, said.timestamp],
    ...[said.from, said.to, lower(said.token), said.value],
  ].join(' ')
}

const newest = (list: readonly Moved[] | undefined) =>
  (list ?? []).slice(-peerPageSize).toReversed()

export const transactionsOfAddress: PeerList = {
  name: 'transactions of an address',
  path: (subject) => `/addresses/${subject}/transactions`,
  keyOfFoldscan(item) {
    const { position, token_transfers: transfers } = foldscanTransaction.parse(item)
    return `${position} ${keyOfFoldscanTransfer(transfers[0])}`
  },
  keyOfPonder: (item) => `${ponderTransfer.parse(item).position} ${keyOfPonderTransfer(item)}`,
  expected: ({ sent }, subject) =>
    newest(sent.get(subject)).map((one) => `${one.position} ${transferKey(one)}`),
}

export const transfersOfToken: PeerList = {
  name: 'transfers of a token',
  path: (subject) => `/tokens/${subject}/transfers`,
  keyOfFoldscan: keyOfFoldscanTransfer,
  keyOfPonder: keyOfPonderTransfer,
  expected: ({ moved }, subject) => newest(moved.get(subject)).map(transferKey),
}

export const holdersOfToken: PeerList = {
  name: 'holders of a token',
  path: (subject) => `/tokens/${subject}/holders`,
  keyOfFoldscan(item) {
    const { address, value } = foldscanHolder.parse(item)
    return `${lower(address.hash)} ${value}`
  },
  keyOfPonder(item) {
    const { holder, value } = ponderHolder.parse(item)
    return `${holder} ${value}`
  },
  expected({ balances }, subject) {
    const held = [...(balances.get(subject) ?? [])].filter(([, value]) => value > 0n)
    const order = (one: bigint | string, other: bigint | string) => (one < other ? 1 : -1)
    held.sort(([one, a], [other, b]) => (a === b ? order(one, other) : order(a, b)))
    return held.slice(0, peerPageSize).map(([holder, value]) => `${holder} ${value}`)
  },
}

const page = z.object({ items: z.array(z.unknown()) })

/** @throws if the keys of a page are not those expected */
export function assertKeys(
  what: string,
  body: Buffer,
  { keyOf, keys }: { readonly keyOf: (item: unknown) => string; readonly keys: readonly string[] },
): void {
  const got = page.parse(JSON.parse(body.toString())).items.map(keyOf)
  if (isDeepStrictEqual(got, keys)) return
  const at = keys.findIndex((key, index) => key !== got[index])
  throw new Error(
    `${what}: ${got.length} items instead of ${keys.length}; item ${at}: ` +
      `'${got[Math.max(0, at)]}' instead of '${keys[at]}'`,
  )
}
