import { expect, test } from 'vitest'
import { zeroAddress } from '../chain/hex.ts'
import { earlyTransfersMax } from './entities/early-transfer.ts'
import { stateGroup } from './state-group.ts'
import {
  alice,
  contract,
  created,
  describing,
  emitted,
  minted,
  transferLog,
} from './testing/facts.ts'
import { InMemoryGroup } from './testing/law.ts'
import { logOf, withoutEarlierCode } from './testing/log-of.ts'

const honest = contract(1)
const others = Array.from({ length: 11 }, (_, n) => contract(n + 100))
const isCollection = { standard: 'ERC-721' } as const

/** As many as are kept of each of the others. */
const flood = others.flatMap((token) =>
  Array.from({ length: earlyTransfersMax }, (_, id) =>
    transferLog(token, [zeroAddress, alice], BigInt(id)),
  ),
)
const messages = logOf(
  withoutEarlierCode([
    created(honest),
    emitted(...flood),
    minted(honest, alice, 7n),
    describing(emitted(), ...others.map((address) => ({ address, ...isCollection })), {
      address: honest,
      ...isCollection,
    }),
  ]),
)

test('however many transfers of others are folded again with them, those of a token are', () => {
  const runner = new InMemoryGroup(stateGroup)
  runner.fold(messages)
  const shown = runner.tables.rowsOf('token_state').map((row) => Reflect.get(row, 'shownSince'))
  expect(shown).toEqual(Array(others.length + 1).fill(0))
  const owned = runner.tables.rowsOf('nfts_by_owner')
  expect(owned).toHaveLength(flood.length + 1)
  expect(owned).toContainEqual(expect.objectContaining({ token: honest, tokenId: 7n }))
})

test('transfers that a message folds again count for its weight, once', () => {
  const runner = new InMemoryGroup(stateGroup)
  runner.fold(messages.slice(0, -1))
  const [last] = messages.slice(-1)
  if (last === undefined) throw new Error('no message')
  expect(stateGroup.repeatedCount(runner.state, last)).toBe(flood.length + 1)
  runner.fold([last])
  expect(stateGroup.repeatedCount(runner.state, last)).toBe(0)
})
