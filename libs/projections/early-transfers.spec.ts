import { expect, test } from 'vitest'
import { type Address, withoutPrefix, zeroAddress } from '../chain/hex.ts'
import { standards } from '../chain/token.ts'
import { balanceEntity, balanceEntityId } from './entities/balance.ts'
import { earlyTransfersMax } from './entities/early-transfer.ts'
import { tokenEntity } from './entities/token.ts'
import { stateGroup } from './state-group.ts'
import {
  alice,
  bob,
  contract,
  created,
  describing,
  emitted,
  minted,
  moved,
  nftLog,
  nftMoved,
  transferLog,
  transferred,
  withdrawn,
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

test('an id that an amount was read as is folded again from its beginning', () => {
  const runner = new InMemoryGroup(stateGroup)
  const told = { address: honest, name: 'N', hasCodeBefore: false }
  runner.fold(
    logOf([
      emitted(nftLog(honest, [alice, alice], 0n), transferLog(honest, [alice, bob], 2n)),
      describing(emitted(), told),
      transferred(honest, [bob, alice], 2n),
      transferred(honest, [alice, bob], 2n),
    ]),
  )
  const owned = runner.state.get(
    balanceEntity,
    balanceEntityId({ token: honest, holder: bob, tokenId: null }),
  )
  expect(owned?.owned).toBe(1)
})

test('an id of a contract that says late that it is ERC-404 is in one list', () => {
  const runner = new InMemoryGroup(stateGroup)
  const told = { address: honest, standard: 'ERC-404' } as const
  runner.fold(
    logOf([
      created(honest),
      moved(honest, [zeroAddress, alice], [0n, 1n]),
      describing(emitted(), told),
    ]),
  )
  const owned = runner.tables.rowsOf('nfts_by_owner')
  expect(owned.map((row) => Reflect.get(row, 'standard'))).toEqual([standards.indexOf('ERC-404')])
})

test('a holder of a contract that says late that it is ERC-404 can sell all of it', () => {
  const runner = new InMemoryGroup(stateGroup)
  const told = { address: honest, standard: 'ERC-404' } as const
  runner.fold(
    logOf([
      created(honest),
      minted(honest, alice, 7n),
      describing(emitted(), told),
      transferred(honest, [alice, bob], 7n),
    ]),
  )
  expect(runner.state.get(tokenEntity, withoutPrefix(honest))?.holders).toBe(1)
})

test('an id can leave an owner who got it before the contract said that it is a collection', () => {
  const runner = new InMemoryGroup(stateGroup)
  runner.fold(
    logOf([
      transferred(honest, [alice, alice], 0n),
      withdrawn(honest, alice, 0n),
      nftMoved(honest, [alice, alice], 0n),
      describing(emitted(), { address: honest, ...isCollection }),
      nftMoved(honest, [alice, bob], 0n),
    ]),
  )
  const ownedBy = (holder: Address) =>
    runner.state.get(balanceEntity, balanceEntityId({ token: honest, holder, tokenId: null }))
      ?.owned
  expect([ownedBy(alice), ownedBy(bob)]).toEqual([0, 1])
})
