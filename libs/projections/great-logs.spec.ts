import { expect, test } from 'vitest'
import type { TransactionLog } from '../chain/block.ts'
import { alice, batchLog, bob, contract } from './testing/facts.ts'
import { BlockTransfers } from './transfers.ts'

const logOf = (ids: readonly bigint[]): TransactionLog => ({
  index: 0,
  ...batchLog(
    contract(1),
    [alice, bob],
    ids.map((id) => [id, 1n]),
  ),
})

test('a batch of ids that share their low 64 bits is read as fast as any other', () => {
  const count = 40_000
  const log = logOf(Array.from({ length: count }, (_, at) => (BigInt(at) << 64n) + 5n))
  const begun = performance.now()
  expect([...new BlockTransfers({ transactions: [] }).ofLog(log)]).toHaveLength(count)
  // A map of bigints took more than twenty seconds.
  expect(performance.now() - begun).toBeLessThan(5_000)
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
