import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, hex } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import type { Store } from '../../libs/ports/store.ts'
import { addressFactRows, signatureFactRows } from '../../libs/projections/dimensions.ts'
import { abiKey, abisOfContracts } from '../../libs/queries/contract-abis.ts'
import { signaturesOf } from '../../libs/queries/signatures.ts'
import { RowBatch } from '../../libs/tables/declare/row-batch.ts'
import type { TableRow } from '../../libs/tables/declare/table.ts'
import { addressFact } from '../../libs/topics/facts/address-facts.ts'
import { signatureFact } from '../../libs/topics/facts/signature-facts.ts'
import { testStore } from '../support/engine.ts'

let store: Store
let drop: () => Promise<void>
beforeAll(async () => {
  const opened = await testStore()
  store = opened.store
  drop = opened.drop
})
afterAll(() => drop())

async function write(...rows: readonly (readonly TableRow[])[]): Promise<void> {
  const batch = new RowBatch()
  for (const run of rows) batch.add(run)
  await batch.insertAll(store)
}

const contract = address(`0x${'c0'.repeat(20)}`)
const abiRows = (at: number, ...names: string[]) => {
  const entries = names.map((name) => ({ type: 'function', name, inputs: [] }))
  const fact = { address: contract, time: 1, kind: 'abi', entries }
  return addressFactRows(addressFact.parse(fact), position(at))
}
const selectorIn = (rows: readonly TableRow[], at: number) => hex(String(rows[at]?.row.selector))

test('a contract has the entries of its newest ABI, whatever it had before', async () => {
  const first = abiRows(1, 'ping', 'pong')
  const keys = [1, 2].map((at) => abiKey(contract, selectorIn(first, at)))
  await write(first)
  expect([...(await abisOfContracts(store, keys)).values()].sort()).toEqual([
    'function ping()',
    'function pong()',
  ])
  await write(abiRows(2, 'pong'))
  expect([...(await abisOfContracts(store, keys)).values()]).toEqual(['function pong()'])
  await write(first)
  expect([...(await abisOfContracts(store, keys)).values()]).toEqual(['function pong()'])
  await write(abiRows(3))
  expect([...(await abisOfContracts(store, keys)).values()]).toEqual([])
})

const signature = (since: number, text: string): readonly TableRow[] =>
  signatureFactRows(
    signatureFact.parse({ selector: '0xa9059cbb', time: since, signature: text }),
    position(since),
  )

/** As if they had the selector too: such are mined. */
const renamed = (rows: readonly TableRow[], form: string): readonly TableRow[] =>
  rows.map(({ table, row }) => ({ table, row: { ...row, form, signature: `function ${form}` } }))

test('of the signatures of a selector the oldest are tried first, and not all of very many', async () => {
  const transfer = 'transfer(address,uint256)'
  const many = Array.from({ length: 100 }, (_, at) =>
    renamed(signature(1_000 + at, transfer), `a${200 - at}()`),
  )
  await write(
    ...many,
    signature(500, transfer),
    signature(400, transfer),
    signature(2_000, transfer),
  )
  const selector = hex('0xa9059cbb')
  const found = await signaturesOf(store, [selector, hex('0x12345678')])
  expect([...found.keys()]).toEqual([selector])
  expect(found.get(selector)).toEqual([
    'function transfer(address, uint256)',
    ...Array.from({ length: 7 }, (_, at) => `function a${200 - at}()`),
  ])
})
