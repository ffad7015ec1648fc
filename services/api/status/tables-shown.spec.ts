import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { StoreDenied, StoreUnavailable } from '../../../libs/ports/store.ts'
import { transfersByTransaction } from '../../../libs/tables/tables/transfers.ts'
import { ShownTables } from './tables-shown.ts'

const sizeRow = (table: string, rows: number, bytes: number): Buffer => {
  const numbers = Buffer.alloc(16)
  numbers.writeBigUInt64LE(BigInt(rows), 0)
  numbers.writeBigUInt64LE(BigInt(bytes), 8)
  return Buffer.concat([Buffer.from([table.length]), Buffer.from(table), numbers])
}

function bed() {
  const failure: { error: Error | null } = { error: null }
  const state = { at: 0, transfers: 1_000, asked: 0, failure }
  const tables = new ShownTables(
    {
      async query() {
        state.asked += 1
        if (failure.error !== null) throw failure.error
        const rows = [
          sizeRow('progress', 3, 9),
          sizeRow(transfersByTransaction.stored, state.transfers, 5),
        ]
        return Buffer.concat(rows)
      },
    },
    () => state.at,
  )
  const later = async (seconds: number) => {
    state.at += seconds * 1_000
    void tables.shown
    await turn()
    return tables.shown
  }
  return { state, later }
}

test('asks at most every 15 s, and shows the last sizes in the order of the index', async () => {
  const { state, later } = bed()
  const sizes = [
    { table: transfersByTransaction.stored, rows: 1_000, bytes: 5 },
    { table: 'progress', rows: 3, bytes: 9 },
  ]
  expect(await later(0)).toEqual({ sizes, problem: null, transfersPerSecond: null })
  for (let second = 1; second < 15; second++) await later(1)
  expect(state.asked).toBe(1)
  await later(1)
  expect(state.asked).toBe(2)
})

test('transfers a second are rows that were added within about a minute', async () => {
  const { state, later } = bed()
  await later(0)
  state.transfers = 1_300
  expect(await later(15)).toMatchObject({ transfersPerSecond: 20 })
  // Merges remove rows.
  state.transfers = 900
  expect(await later(15)).toMatchObject({ transfersPerSecond: 0 })
  // Nobody watched for an hour.
  expect(await later(3_600)).toMatchObject({ transfersPerSecond: null })
})

test('says why sizes are missing or old, and keeps the last ones', async () => {
  const { state, later } = bed()
  state.failure.error = new StoreDenied('rights', 'no SELECT on system.tables')
  expect(await later(0)).toMatchObject({ sizes: null, problem: 'not permitted' })
  state.failure.error = null
  expect(await later(15)).toMatchObject({ sizes: expect.any(Array), problem: null })
  state.failure.error = new StoreUnavailable('away')
  expect(await later(15)).toMatchObject({ sizes: expect.any(Array), problem: 'not answered' })
})
