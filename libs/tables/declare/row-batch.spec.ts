import { describe, expect, it } from 'vitest'
import { address, type Hex, hash } from '../../chain/hex.ts'
import { position } from '../../chain/position.ts'
import { type CountedRows, insertedBytes } from '../../ports/store.ts'
import { balances } from '../tables/balances.ts'
import { logsByAddress, logsByTopic, logsByTransaction } from '../tables/logs.ts'
import { tokenState } from '../tables/tokens.ts'
import { addressType } from './columns.ts'
import { ConflictingRows, RowBatch } from './row-batch.ts'
import { RowSource } from './row-binary.ts'
import { put, table } from './table.ts'

const holder = address(`0x${'a1'.repeat(20)}`)
const token = address(`0x${'b2'.repeat(20)}`)

const balance = (at: number, value: bigint) =>
  put(balances, {
    holder,
    token,
    part: 0,
    tokenId: 0n,
    value,
    standard: 0,
    ordinal: 1,
    observedAt: 0,
    position: position(at),
    isDeleted: 0,
  })

const topic = (at: number, logIndex: number, isDeleted = 0) =>
  put(logsByTopic, {
    address: token,
    topic: hash(`0x${'c3'.repeat(32)}`),
    blockNumber: 1,
    logIndex,
    position: position(at),
    isDeleted,
  })

const logAt = (at: number, data: Hex) => ({
  address: token,
  blockNumber: 1,
  logIndex: at,
  blockHash: hash(`0x${'d4'.repeat(32)}`),
  timestamp: 1_700_000_000,
  transactionHash: hash(`0x${'e5'.repeat(32)}`),
  transactionIndex: 0,
  recipient: at === 2 ? null : holder,
  topics: [hash(`0x${'c3'.repeat(32)}`)],
  data,
  position: position(at),
  isDeleted: 0,
})

const form = {
  serves: 'this spec',
  group: 'ledger',
  source: 'blocks',
  key: { holder: addressType },
  columns: {},
  granularity: 128,
} as const
const proving = table({ ...form, name: 'proving', phase: 'existence' })
const listed = table({ ...form, name: 'listed', phase: 'lists' })

const tokenRow = (at: number) =>
  put(tokenState, {
    token,
    standard: 0,
    ordinal: 1,
    name: null,
    symbol: null,
    decimals: null,
    totalSupply: null,
    holdersCount: null,
    isComplete: true,
    shownSince: 0,
    position: position(at),
    isDeleted: 0,
  })

interface Insert {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: Buffer
}

const recorder = () => {
  const inserts: Insert[] = []
  const insert = async (
    table: string,
    columns: readonly string[],
    rows: Uint8Array | CountedRows,
  ) => {
    inserts.push({ table, columns, rows: Buffer.from(insertedBytes(rows)) })
  }
  return { inserts, insert }
}

const positionsOf = (insert: Insert | undefined) => {
  const source = new RowSource(insert?.rows ?? Buffer.alloc(0))
  const positions: number[] = []
  while (!source.done) {
    const table = insert?.table === balances.stored ? balances : logsByTopic
    positions.push(table.decode(source).position)
  }
  return positions
}

describe('the rows of a flush', () => {
  it('keep only the newest of a key of the state, in whatever order they came', async () => {
    const store = recorder()
    const batch = new RowBatch()
    batch.add([balance(1, 5n), balance(3, 7n)])
    batch.add([balance(2, 6n)])
    expect(batch.rowCount).toBe(1)
    await batch.insertAll(store)
    expect(store.inserts.map(positionsOf)).toEqual([[3]])
  })

  it('keep every version of the ledger: a row, and what a revert makes of it', async () => {
    const store = recorder()
    const batch = new RowBatch()
    batch.add([topic(1, 0), topic(2, 0, 1), topic(3, 0)])
    await batch.insertAll(store)
    expect(store.inserts.map(positionsOf)).toEqual([[1, 2, 3]])
  })

  it('refuse two different rows of one key and position', () => {
    const batch = new RowBatch()
    batch.add([balance(1, 5n)])
    batch.add([balance(1, 5n)])
    expect(() => batch.add([balance(1, 6n)])).toThrow(ConflictingRows)
    expect(() => batch.add([balance(1, 6n)])).toThrow(`balances ${holder}|${token}|0|0`)
  })

  it('are those of each table, though shared columns are encoded once', async () => {
    const rows = [logAt(1, '0xaa'), logAt(2, '0x'), logAt(3, '0xbbcc')]
    const store = recorder()
    const batch = new RowBatch()
    for (const row of rows) batch.add([put(logsByAddress, row), put(logsByTransaction, row)])
    await batch.insertAll(store)
    for (const table of [logsByAddress, logsByTransaction]) {
      const insert = store.inserts.find(({ table: name }) => name === table.stored)
      const { columns = [], rows: bytes = Buffer.alloc(0) } = insert ?? {}
      const source = new RowSource(bytes)
      expect(columns).toEqual(table.columnsInParts)
      expect(rows.map(() => table.decodeParts(source))).toEqual(rows)
      expect(source.done).toBe(true)
    }
  })

  it('go in parts that stay below the bounds of one insert', async () => {
    const store = recorder()
    const batch = new RowBatch({ insertRowsMax: 2, insertBytesMax: 1_000_000 })
    batch.add([1, 2, 3, 4, 5].map((at) => topic(at, at)))
    await batch.insertAll(store)
    expect(store.inserts.map(positionsOf)).toEqual([[1, 2], [3, 4], [5]])
  })

  it('go in parts that stay below the bytes of one insert', async () => {
    const store = recorder()
    const batch = new RowBatch({ insertRowsMax: 100, insertBytesMax: 1 })
    batch.add([topic(1, 1), topic(2, 2)])
    await batch.insertAll(store)
    expect(store.inserts.map(positionsOf)).toEqual([[1], [2]])
  })

  it('that prove existence are written after all that belongs to them is acknowledged', async () => {
    const told: string[] = []
    const insert = async (table: string) => {
      await Promise.resolve()
      told.push(table)
    }
    const batch = new RowBatch()
    batch.add([tokenRow(1), balance(1, 5n), topic(1, 0)])
    await batch.insertAll({ insert })
    expect(told.at(-1)).toBe(tokenState.stored)
    expect(told).toHaveLength(3)
  })

  it('of lists are written after those that prove existence, and none of both is held', async () => {
    const told: string[] = []
    const insert = async (table: string) => void told.push(table)
    const batch = new RowBatch()
    const row = { holder, position: position(1), isDeleted: 0 }
    batch.addAtOnce([put(listed, row), put(proving, row), topic(1, 0)])
    const ofTopic = batch.heldBytes
    batch.addAtOnce([put(listed, row), put(proving, row)])
    expect(batch.heldBytes).toBe(ofTopic)
    await batch.insertHeld({ insert })
    expect(told).toEqual([logsByTopic.stored])
    await batch.insertAll({ insert })
    expect(told.slice(1)).toEqual([proving.stored, listed.stored])
  })

  it('that prove existence are not written when another table failed, and can be retried', async () => {
    const told: string[] = []
    let failures = 1
    const insert = async (table: string) => {
      if (table === balances.stored && failures-- > 0) throw new Error('away')
      told.push(table)
    }
    const batch = new RowBatch()
    batch.add([tokenRow(1), balance(1, 5n)])
    await expect(batch.insertAll({ insert })).rejects.toThrow('away')
    expect(told).toEqual([])
    await batch.insertAll({ insert })
    expect(told).toEqual([balances.stored, tokenState.stored])
  })
})
