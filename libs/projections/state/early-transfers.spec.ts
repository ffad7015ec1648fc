import { expect, test } from 'vitest'
import { type Address, withoutPrefix, zeroAddress } from '../../chain/hex.ts'
import { standards } from '../../chain/token.ts'
import { balanceEntity, balanceEntityId } from '../entities/balance.ts'
import { earlyTransfersMax } from '../entities/early-transfer.ts'
import { tokenEntity } from '../entities/token.ts'
import {
  alice,
  type BlockFact,
  bob,
  contract,
  created,
  type Described,
  describing,
  emitted,
  minted,
  moved,
  nftLog,
  nftMoved,
  transferLog,
  transferred,
  withdrawn,
} from '../testing/facts.ts'
import { InMemoryGroup } from '../testing/law.ts'
import { logOf, withoutEarlierCode } from '../testing/log-of.ts'
import { stateGroup } from './state-group.ts'

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

const folded = (...facts: BlockFact[]) => {
  const runner = new InMemoryGroup(stateGroup)
  runner.fold(logOf(facts))
  return runner
}
/** In a block without transfers. */
const told = (metadata: Omit<Described, 'address'>) =>
  describing(emitted(), { address: honest, ...metadata })
const isErc404 = { standard: 'ERC-404' } as const

/** Ids that an owner has. */
const ownedIn = ({ state }: InMemoryGroup, holder: Address) =>
  state.get(balanceEntity, balanceEntityId({ token: honest, holder, tokenId: null }))?.owned

test('an id that an amount was read as is folded again from its beginning', () => {
  const runner = folded(
    emitted(nftLog(honest, [alice, alice], 0n), transferLog(honest, [alice, bob], 2n)),
    told({ name: 'N', hasCodeBefore: false }),
    transferred(honest, [bob, alice], 2n),
    transferred(honest, [alice, bob], 2n),
  )
  expect(ownedIn(runner, bob)).toBe(1)
})

test('an id of a contract that says late that it is ERC-404 is in one list', () => {
  const minting = moved(honest, [zeroAddress, alice], [0n, 1n])
  const owned = folded(created(honest), minting, told(isErc404)).tables.rowsOf('nfts_by_owner')
  expect(owned.map((row) => Reflect.get(row, 'standard'))).toEqual([standards.indexOf('ERC-404')])
})

test('a holder of a contract that says late that it is ERC-404 can sell all of it', () => {
  const sale = transferred(honest, [alice, bob], 7n)
  const { state } = folded(created(honest), minted(honest, alice, 7n), told(isErc404), sale)
  expect(state.get(tokenEntity, withoutPrefix(honest))?.holders).toBe(1)
})

test('an id can leave an owner who got it before the contract said that it is a collection', () => {
  const runner = folded(
    transferred(honest, [alice, alice], 0n),
    withdrawn(honest, alice, 0n),
    nftMoved(honest, [alice, alice], 0n),
    told(isCollection),
    nftMoved(honest, [alice, bob], 0n),
  )
  expect([ownedIn(runner, alice), ownedIn(runner, bob)]).toEqual([0, 1])
})
