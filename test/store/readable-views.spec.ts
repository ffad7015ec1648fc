import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { address, hash } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import type { Store } from '../../libs/ports/store.ts'
import { allTables } from '../../libs/tables/all-tables.ts'
import { bodyForm, bodyName } from '../../libs/tables/body.ts'
import { RowSource } from '../../libs/tables/row-binary.ts'
import { readableName } from '../../libs/tables/store-page.ts'
import { type AnyTable, table } from '../../libs/tables/table.ts'
import { insertMade } from '../../libs/tables/testing/insert-made.ts'
import { type TestStore, testStore } from '../support/engine.ts'
import { insertRows } from '../support/insert-rows.ts'

let opened: TestStore
let store: Store

beforeAll(async () => {
  opened = await testStore()
  store = opened.store
})
afterAll(() => opened.drop())

const amountMax = (1n << 256n) - 1n

/** Columns of all four tables: numbers that end in zero bytes, and text in other scripts. */
const full = {
  address: address(`0x${'a0'.repeat(20)}`),
  side: 1,
  fee: 1n << 248n,
  hash: hash(`0x${'01'.repeat(31)}00`),
  blockNumber: 256,
  index: 65_536,
  blockHash: hash(`0x${'c0'.repeat(30)}0000`),
  timestamp: 2 ** 32,
  parentTimestamp: 2 ** 32 - 12,
  type: 4,
  nonce: Number.MAX_SAFE_INTEGER,
  from: address(`0x${'00'.repeat(20)}`),
  to: address(`0x${'11'.repeat(19)}00`),
  createdContract: address(`0x${'ff'.repeat(20)}`),
  value: amountMax,
  input: `0x${'00ff'.repeat(300)}`,
  gasLimit: 30_000_000n,
  gasUsed: 0n,
  gasPrice: 1n,
  maxFeePerGas: amountMax,
  maxPriorityFeePerGas: 0n,
  baseFeePerGas: 1n << 64n,
  status: 0,
  revertReason: `0x00${'5c'.repeat(400)}00`,
  error: "out of 'gas'\\ \u0000 ъ🜚",
  transfersCount: 7,
  hasInnerError: true,
  authorizations: `[${'"a",'.repeat(100)}"b"]`,
  actions: '[{"protocol":"x"}]',
  firstTransfers: '[{"value":"1"}]',
  position: position(3),
  isDeleted: 1,
}
const empty = {
  ...full,
  hash: hash(`0x${'02'.repeat(32)}`),
  parentTimestamp: null,
  to: null,
  createdContract: null,
  maxFeePerGas: null,
  maxPriorityFeePerGas: null,
  baseFeePerGas: null,
  status: null,
  revertReason: null,
  error: null,
  hasInnerError: null,
  authorizations: '',
  actions: '',
  value: 0n,
  input: '0x',
  isDeleted: 0,
}
const mixed = { ...empty, hash: hash(`0x${'03'.repeat(32)}`), error: '', actions: '[]', status: 1 }

/** The tables here are known by what they declare only. */
const packedTables = allTables
  .filter(({ storedColumns }) => bodyName in storedColumns)
  .map((one) => one as unknown as AnyTable)

/** The columns of a table of those rows. */
const rowsOf = ({ allColumns }: AnyTable) =>
  [full, empty, mixed].map((row) =>
    Object.fromEntries(Object.keys(allColumns).map((name) => [name, Reflect.get(row, name)])),
  )

const quoted = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

async function read({ decode }: Pick<AnyTable, 'decode'>, sql: string) {
  const source = new RowSource(await store.query(`${sql} ORDER BY hash`, {}))
  const rows: object[] = []
  while (!source.done) rows.push(decode(source))
  return rows
}

it('transactions have packed columns in all of their tables', () => {
  expect(packedTables.map(({ name }) => name)).toEqual([
    'transactions_by_address',
    'transactions_by_value',
    'transactions_by_fee',
    'transactions',
  ])
})

describe.each(packedTables.map((one) => [one.name, one] as const))('%s', (name, declared) => {
  const plain = table({ ...declared, packed: undefined, shared: undefined })
  const columns = quoted(Object.keys(plain.storedColumns))
  const rows = rowsOf(declared)
  const all = `SELECT ${columns} FROM ${readableName(name)}`

  it('shows operators in a view what the projector has packed', async () => {
    // Rows of these very columns; the table's own row type is not known here.
    await insertRows(store, declared, rows as never)
    expect(await read(plain, all)).toEqual(rows)
    const forms = await store.query(`SELECT bodyForm FROM ${readableName(name)}`, {})
    expect([...forms]).toEqual([bodyForm, bodyForm, bodyForm])
  })

  it('reads rows that the engine has packed', async () => {
    await store.execute(`CREATE TABLE plain_${name} ENGINE = Memory AS ${all}`)
    await store.execute(`TRUNCATE TABLE ${name}`)
    const selected = Object.keys(plain.storedColumns).map((one) => `\`${one}\` AS \`${one}\``)
    await store.execute(
      insertMade({ table: name, columns: selected.join(', '), source: `plain_${name}` }),
    )
    const stored = quoted(Object.keys(declared.storedColumns))
    expect(await read(declared, `SELECT ${stored} FROM ${name}`)).toEqual(rows)
  })
})
