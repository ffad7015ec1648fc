import { expect, test } from 'vitest'
import { address } from '../../chain/hex.ts'
import { position } from '../../chain/position.ts'
import type { Store } from '../../ports/store.ts'
import { RowSink } from '../../tables/declare/row-binary.ts'
import { holders as table } from '../../tables/tables/holders.ts'
import { firstPlace, type Holder, holdersOfRun } from './holders-of-band.ts'

const token = address(`0x${'a'.repeat(40)}`)

/** The greater its number, the later it lies. */
const holder = (number: number, value: bigint, more: Partial<Holder> = {}): Holder => ({
  token,
  band: 1,
  holder: address(`0x${(10_000 - number).toString(16).padStart(40, '0')}`),
  part: 0,
  tokenId: 0n,
  value,
  observedAt: 0,
  position: position(1),
  isDeleted: 0,
  ...more,
})

/** Gives the first rows of these, as many as are asked for. */
const storeOf = (rows: readonly Holder[]): Store => ({
  insert: () => Promise.reject(new Error('not asked for')),
  query: async (_sql, parameters) => {
    const sink = new RowSink()
    for (const row of rows.slice(0, Number(parameters.rowsMax))) table.encode(sink, row)
    return Buffer.from(sink.bytes())
  },
  execute: () => Promise.reject(new Error('not asked for')),
  ping: () => Promise.reject(new Error('not asked for')),
  close: () => Promise.resolve(),
})

const list = { token: token.slice(2), band: 1, knownFrom: 0, shownSince: 0 }
const from = { ...firstPlace, value: 5n }

test('equal balances follow in key order', async () => {
  const rows = [holder(1, 5n), holder(2, 4n), holder(3, 5n), holder(4, 5n)]
  const found = await holdersOfRun(storeOf(rows), { list, from, limit: 2 })
  expect(found).toEqual([rows[0], rows[2]])
})

test('the last equal balances of a band do not fill a page', async () => {
  const rows = [holder(1, 5n), holder(2, 4n)]
  expect(await holdersOfRun(storeOf(rows), { list, from, limit: 2 })).toEqual([rows[0]])
})

test('a fetch with too few equal balances says nothing of those after it', async () => {
  const others = Array.from({ length: 200 }, (_, at) => holder(2 + at, 4n))
  const rows = [holder(1, 5n), ...others, holder(300, 5n)]
  expect(await holdersOfRun(storeOf(rows), { list, from, limit: 2 })).toBeNull()
})

test('a holder whose versions the fetch cuts does not count', async () => {
  const dead = Array.from({ length: 128 }, (_, at) => holder(at, 5n, { isDeleted: 1 }))
  const left = { isDeleted: 1, position: position(2) }
  const rows = [...dead, holder(200, 5n), holder(200, 5n, left), holder(201, 5n)]
  expect(await holdersOfRun(storeOf(rows), { list, from, limit: 1 })).toBeNull()
})
