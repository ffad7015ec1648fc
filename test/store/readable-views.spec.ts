import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { address, hash } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import type { Store } from '../../libs/ports/store.ts'
import { bodyName } from '../../libs/tables/declare/body.ts'
import { readableName } from '../../libs/tables/declare/ddl.ts'
import { RowSource } from '../../libs/tables/declare/row-binary.ts'
import { type AnyTable, put, type Row, table } from '../../libs/tables/declare/table.ts'
import { allTables } from '../../libs/tables/tables/all-tables.ts'
import { logsByAddress, logsByTransaction } from '../../libs/tables/tables/logs.ts'
import { transactions, transactionsByAddress } from '../../libs/tables/tables/transactions.ts'
import { transfersByToken, transfersByTransaction } from '../../libs/tables/tables/transfers.ts'
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

type Values = Row<typeof transactionsByAddress> &
  Row<typeof logsByAddress> &
  Row<typeof transactions> &
  Omit<Row<typeof transfersByToken>, 'to'>

/** Columns of all of these tables: numbers that end in zero bytes, and text in other scripts. */
const full: Values = {
  address: address(`0x${'a0'.repeat(20)}`),
  side: 1,
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
  firstTransfers: `0x00${'7f'.repeat(300)}00`,
  extras: '{"rollupFee":"1"}',
  transactionIndex: 9,
  topics: [hash(`0x${'00'.repeat(32)}`), hash(`0x${'02'.repeat(31)}00`)],
  data: `0x00${'5a'.repeat(70)}00`,
  token: address(`0x${'70'.repeat(20)}`),
  transactionHash: hash(`0x${'01'.repeat(31)}00`),
  logIndex: 1,
  batchIndex: 3,
  form: 2,
  tokenId: amountMax,
  batchSize: 4,
  method: '0xa9059c00',
  recipient: address(`0x${'80'.repeat(20)}`),
  position: position(3),
  isDeleted: 1,
}
const empty: Values = {
  ...full,
  hash: hash(`0x${'02'.repeat(32)}`),
  transactionHash: hash(`0x${'02'.repeat(32)}`),
  logIndex: 2,
  tokenId: null,
  method: null,
  recipient: null,
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
  topics: [],
  data: '0x',
  authorizations: '',
  actions: '',
  extras: '',
  value: 0n,
  input: '0x',
  isDeleted: 0,
}
const third = hash(`0x${'03'.repeat(32)}`)
const mixed: Values = {
  ...empty,
  hash: third,
  transactionHash: third,
  logIndex: 3,
  error: '',
  actions: '[]',
  status: 1,
  tokenId: 0n,
}

const values = [full, empty, mixed]
const recipient = address(`0x${'11'.repeat(19)}00`)
const transfers = values.map((row) => ({ ...row, to: recipient }))

/** Each of the tables with its rows. */
const cases = [
  values.map((row) => put(logsByAddress, row)),
  values.map((row) => put(logsByTransaction, row)),
  transfers.map((row) => put(transfersByToken, row)),
  transfers.map((row) => put(transfersByTransaction, row)),
  values.map((row) => put(transactionsByAddress, row)),
  values.map((row) => put(transactions, row)),
].flatMap((rows) => {
  const declared = rows[0]?.table
  return declared === undefined ? [] : [{ name: declared.name, declared, rows }]
})

const columnsOf = ({ allColumns }: AnyTable, row: object) =>
  Object.fromEntries(Object.keys(allColumns).map((name) => [name, Reflect.get(row, name)]))

const quoted = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

async function read(
  { decode, allColumns }: Pick<AnyTable, 'decode' | 'allColumns'>,
  sql: string,
  settings = 'final = 0',
) {
  const hashName = 'hash' in allColumns ? 'hash' : 'transactionHash'
  const source = new RowSource(
    await store.query(`${sql} ORDER BY ${hashName} SETTINGS ${settings}`, {}),
  )
  const rows: object[] = []
  while (!source.done) rows.push(decode(source))
  return rows
}

it('all tables with packed columns are here', () => {
  const packed = allTables.filter(({ storedColumns }) => bodyName in storedColumns)
  expect(cases.map(({ name }) => name)).toEqual(packed.map(({ name }) => name))
})

describe.each(cases)('$name', ({ name, declared, rows: written }) => {
  const { stored: storedName } = declared
  const plain = table({ ...declared, packed: undefined, shared: undefined })
  const columns = quoted(Object.keys(plain.storedColumns))
  const rows = written.map(({ row }) => columnsOf(declared, row))
  const all = `SELECT ${columns} FROM ${readableName(storedName)}`

  it('shows operators in a view what the projector has packed', async () => {
    await insertRows(
      store,
      declared,
      written.map(({ row }) => row),
    )
    expect(await read(plain, all)).toEqual(rows)
  })

  it('shows the newest version of each row with the setting final', async () => {
    const later = written.map(({ row }) => ({ ...row, position: position(4), isDeleted: 0 }))
    await store.execute(`SYSTEM STOP MERGES ${storedName}`)
    await insertRows(store, declared, later)
    const newest = later.map((row) => columnsOf(declared, row))
    expect(await read(plain, all)).toHaveLength(2 * rows.length)
    expect(await read(plain, all, 'final = 1')).toEqual(newest)
    await store.execute(`TRUNCATE TABLE ${storedName}`)
    await insertRows(
      store,
      declared,
      written.map(({ row }) => row),
    )
  })

  it('reads rows that the engine has packed', async () => {
    await store.execute(`CREATE TABLE plain_${name} ENGINE = Memory AS ${all}`)
    await store.execute(`TRUNCATE TABLE ${storedName}`)
    const selected = Object.keys(plain.storedColumns).map((one) => `\`${one}\` AS \`${one}\``)
    await store.execute(
      insertMade({ table: name, columns: selected.join(', '), source: `plain_${name}` }),
    )
    const stored = quoted(Object.keys(declared.storedColumns))
    expect(await read(declared, `SELECT ${stored} FROM ${storedName}`)).toEqual(rows)
  })
})
