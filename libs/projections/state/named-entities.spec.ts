import { expect, test } from 'vitest'
import { type Hash, hash } from '../../chain/hex.ts'
import { balanceEntity } from '../entities/balance.ts'
import { transferTopic } from '../ledger/transfers.ts'
import { alice, blockOf, contract } from '../testing/facts.ts'
import { logOf } from '../testing/log-of.ts'
import { MemoryState } from '../testing/memory-state.ts'
import { namedEntities, namedLogsMax } from './named-entities.ts'

const word = (value: number): Hash => hash(`0x${value.toString(16).padStart(64, '0')}`)

test('a block with any number of logs has a bounded number of them looked at', () => {
  const logs = Array.from({ length: 2 * namedLogsMax }, (_, index) => ({
    address: contract(1),
    topics: [transferTopic, word(2 * index + 1), word(2 * index + 2)],
    data: '0x' as const,
    index,
  }))
  const [message] = logOf([blockOf({ from: alice, to: contract(1), logs })])
  if (message === undefined) throw new Error('no message')
  const named = [...namedEntities(new MemoryState(), message)]
  const pairs = named.filter(({ entity }) => entity.tag === balanceEntity.tag)
  expect(pairs).toHaveLength(2 * namedLogsMax)
})
