import { expect, test } from 'vitest'
import { zeroHash } from '../../../../libs/chain/hex.ts'
import { eventLog } from '../../../../libs/projections/testing/events.ts'
import { alice, batchLog, bob, contract } from '../../../../libs/projections/testing/facts.ts'
import { transfersIn } from './check-transfers.ts'
import { transfersOfLog } from './transfers-of-log.ts'

const token = contract(1)
const range = eventLog(
  token,
  'event ConsecutiveTransfer(uint256 indexed a, uint256 b, address indexed from, address indexed to)',
  [0n, 9_999n, alice, bob],
)

test('equal ids of a batch are one item, with their sum and the lowest place', () => {
  const ids = Array.from({ length: 3_000 }, (_, at): [bigint, bigint] => [BigInt(at % 1_000), 1n])
  const found = transfersOfLog({ ...batchLog(token, [alice, bob], ids), index: 0 })
  expect(found).toHaveLength(1_000)
  expect(found[7]).toMatchObject({ tokenId: 7n, value: 3n, place: 7 })
})

test('logs of more ids in a row than count for sure are not read to their end', () => {
  let read = 0
  const logs = Array.from({ length: 50 }, (_, index) => ({
    ...{ ...range, index, transactionHash: zeroHash },
    get data() {
      read++
      return range.data
    },
  }))
  expect(transfersIn(logs, { coinEmitters: new Set() })).toBeNull()
  expect(read).toBe(1)
})

test('logs of the coin are no transfers', () => {
  const logs = [
    { ...batchLog(token, [alice, bob], [[1n, 1n]]), index: 0, transactionHash: zeroHash },
  ]
  expect(transfersIn(logs, { coinEmitters: new Set() })).toHaveLength(1)
  expect(transfersIn(logs, { coinEmitters: new Set([token]) })).toEqual([])
})
