import { expect, test } from 'vitest'
import type { Block } from '../../../libs/chain/block.ts'
import { zeroAddress } from '../../../libs/chain/hex.ts'
import { unknownPlace } from '../../../libs/chain/node-fields.ts'
import { consecutiveIdsPerLogMax } from '../../../libs/projections/ledger/consecutive-transfers.ts'
import {
  alice,
  bob,
  consecutiveLog,
  contract,
  emitted,
  transferLog,
} from '../../../libs/projections/testing/facts.ts'
import { logOf } from '../../../libs/projections/testing/log-of.ts'
import { weightOf } from './message-weight.ts'

const [message] = logOf([emitted(transferLog(contract(1), [alice, bob], 1n))])
if (message?.kind !== 'block.applied') throw new Error('no block')
const { block } = message
const { logs: [log] = [] } = block.transactions[0] ?? {}
if (log === undefined) throw new Error('no log')

const weighed = (
  own: Partial<Block['transactions'][number]>,
  of: Partial<Block> = {},
  pause = () => undefined,
) => {
  const transactions = block.transactions.map((one) => ({ ...one, ...own }))
  return weightOf({ ...message, block: { ...block, ...of, transactions } }, pause)
}

test('inner calls weigh something: of each it is noted which contract it called', async () => {
  const said = { type: 'CALL', from: alice, to: bob, value: 0n, error: null, selector: null }
  const calls = Array.from({ length: 40_000 }, () => ({ ...said, ...unknownPlace }))
  expect(await weighed({ calls })).toBe(2 + calls.length / 4)
  expect(await weighed({ calls: null })).toBe(2)
})

test('ids in a row weigh one each, but not those of the coin, which are no transfers', async () => {
  const ids = [1n, BigInt(consecutiveIdsPerLogMax)] as const
  const logs = [{ ...consecutiveLog(contract(2), [zeroAddress, alice], ids), index: 0 }]
  expect(await weighed({ logs })).toBe(2 + consecutiveIdsPerLogMax)
  expect(await weighed({ logs }, { coinEmitters: [contract(2)] })).toBe(2)
})

test('the logs of a great block are weighed with a pause at each', async () => {
  const logs = Array.from({ length: 5_000 }, (_, index) => ({ ...log, index }))
  let pauses = 0
  const pause = () => {
    pauses += 1
    return undefined
  }
  expect(await weighed({ logs }, {}, pause)).toBe(1 + logs.length)
  expect(pauses).toBe(logs.length)
})
