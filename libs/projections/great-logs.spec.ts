import { expect, test, vi } from 'vitest'
import type { TransactionLog } from '../chain/block.ts'
import { BlockTransfers } from './ledger/transfers.ts'
import { alice, batchLog, bob, contract } from './testing/facts.ts'

const logOf = (ids: readonly bigint[]): TransactionLog => ({
  index: 0,
  ...batchLog(
    contract(1),
    [alice, bob],
    ids.map((id) => [id, 1n]),
  ),
})

/** A map hashes a bigint by its low 64 bits: 40,000 that share these took twenty seconds. */
test('a batch is read with few look-ups in maps, and none by a bigint', () => {
  const count = 4_000
  const log = logOf(Array.from({ length: count }, (_, at) => (BigInt(at) << 64n) + 5n))
  const transfers = new BlockTransfers({ transactions: [] })
  const spies = [
    vi.spyOn(Map.prototype, 'get'),
    vi.spyOn(Map.prototype, 'has'),
    vi.spyOn(Map.prototype, 'set'),
    vi.spyOn(Set.prototype, 'has'),
    vi.spyOn(Set.prototype, 'add'),
  ]
  const read = [...transfers.ofLog(log)].length
  const keys = spies.flatMap(({ mock }) => mock.calls.map(([key]): unknown => key))
  for (const spy of spies) spy.mockRestore()
  expect(read).toBe(count)
  expect(keys.length).toBeLessThanOrEqual(4 * count)
  expect(keys.filter((key) => typeof key === 'bigint')).toEqual([])
})

test('a long batch can be interrupted before its first transfer, and between others', () => {
  const log = logOf(Array.from({ length: 5_000 }, (_, at) => BigInt(at % 4_000)))
  const paced = [...new BlockTransfers({ transactions: [] }).pacedOfLog(log)]
  const transfers = paced.filter((one) => one !== null)
  expect(transfers).toEqual([...new BlockTransfers({ transactions: [] }).ofLog(log)])
  expect(transfers.map(({ value }) => value)).toEqual([
    ...Array(1_000).fill(2n),
    ...Array(3_000).fill(1n),
  ])
  expect(paced.indexOf(null)).toBe(0)
  expect(paced.length - transfers.length).toBe(10)
})
