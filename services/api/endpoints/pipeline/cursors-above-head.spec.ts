import { describe, expect, it } from 'vitest'
import {
  aHash,
  aLog,
  anAddress,
  aTransaction,
  aTransfer,
} from '../../../../libs/presenters/testing/rows.ts'
import { bodyOf, testApi } from '../../testing/test-api.ts'
import { unannouncedBlocksMax } from './route.ts'

const subject = anAddress(0x70)
const hash = aHash(0x7a)
const lists = [
  `/api/v2/addresses/${subject}/transactions?index=1`,
  `/api/v2/addresses/${subject}/transactions?index=1&sort=block_number&order=asc`,
  `/api/v2/addresses/${subject}/transactions?index=1&sort=value&order=desc&value=5`,
  `/api/v2/addresses/${subject}/logs?index=1`,
  `/api/v2/tokens/${subject}/transfers?index=1`,
  `/api/v2/transactions/${hash}/token-transfers?index=1`,
]

/** Counts the lists that are read. */
function countingApi() {
  let reads = 0
  const counted =
    <T>(rows: T[]) =>
    async () => {
      reads += 1
      return rows
    }
  const api = testApi({
    transactionsOfAddress: counted([aTransaction()]),
    logsOfAddress: counted([aLog()]),
    transfersOfToken: counted([aTransfer()]),
    transfersOfTransaction: counted([aTransfer()]),
    placesOfTransactions: async () => new Map([[hash, aTransaction()]]),
  })
  for (const group of ['ledger', 'state'] as const) api.announce(group, 1)
  return { ...api, reads: () => reads }
}

// The head of these is block 101.
const firstAbove = 102 + unannouncedBlocksMax

describe.each(lists)('%s', (list) => {
  it('is one page for all cursors above the head', async () => {
    const { ask, reads } = countingApi()
    const bodies = new Set<string>()
    for (const above of [firstAbove, 99_999_999, 4_000_000_000, 10 ** 12, 2n ** 63n - 1n]) {
      const path = `${list.replace('index=1', `index=${Number(above) % 977}`)}&block_number=${above}`
      bodies.add(JSON.stringify(bodyOf(await ask(path))))
    }
    expect(bodies.size).toBe(1)
    // A token that is not known is looked up beside.
    expect(reads()).toBe(1)
  })

  it('is a page of its own for each cursor up to what may be in the tables', async () => {
    const { ask, reads } = countingApi()
    for (const block of [99, 100, 101, 102, firstAbove - 1])
      await ask(`${list}&block_number=${block}`)
    expect(reads()).toBe(5)
  })

  it('is read again where the chain has come to the cursor', async () => {
    const { ask, announce, reads } = countingApi()
    await ask(`${list}&block_number=${firstAbove}`)
    await ask(`${list}&block_number=${firstAbove}`)
    expect(reads()).toBe(1)
    for (const group of ['ledger', 'state'] as const) announce(group, 2)
    await ask(`${list}&block_number=${firstAbove}`)
    expect(reads()).toBe(2)
  })
})
