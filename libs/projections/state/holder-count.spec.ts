import { expect, test } from 'vitest'
import { withoutPrefix, zeroAddress } from '../../chain/hex.ts'
import { holdingEntity, holdingId } from '../entities/balance.ts'
import { instanceEntity, instanceId } from '../entities/instance.ts'
import { tokenEntity } from '../entities/token.ts'
import type { Entity } from '../group.ts'
import { alice, bob, contract, created, moved, transferred } from '../testing/facts.ts'
import { InMemoryGroup } from '../testing/law.ts'
import { logOf } from '../testing/log-of.ts'
import type { MemoryState } from '../testing/memory-state.ts'
import { stateGroup } from './state-group.ts'

const token = contract(1)
const tokenId = withoutPrefix(token)
const id = 5n
const ofAmounts = [
  created(token),
  transferred(token, [zeroAddress, alice], 7n),
  transferred(token, [alice, bob], 7n),
]
const ofIds = [
  created(token),
  moved(token, [zeroAddress, alice], [id, 7n]),
  moved(token, [alice, bob], [id, 7n]),
]

/** As if something that folded before had counted wrong. */
const wrong =
  <V extends object>(entity: Entity<V>, at: string, part: Partial<V>) =>
  (state: MemoryState) => {
    const before = state.get(entity, at)
    if (before === undefined) throw new Error(`no ${entity.name}`)
    state.write([{ entity, id: at, before, after: { ...before, ...part } }])
  }

test.each([
  ['holders of a token', ofAmounts, wrong(tokenEntity, tokenId, { holders: 0 })],
  ['the sum of balances', ofAmounts, wrong(tokenEntity, tokenId, { held: 0n })],
  ['what a holder has', ofIds, wrong(holdingEntity, holdingId(token, alice), { count: 0 })],
  ['what is held of an id', ofIds, wrong(instanceEntity, instanceId(token, id), { held: 0n })],
])('%s: a count below zero ends no fold, and hides the token', (_, facts, makeWrong) => {
  const runner = new InMemoryGroup(stateGroup)
  const messages = logOf(facts)
  runner.fold(messages.slice(0, -1))
  makeWrong(runner.state)
  runner.fold(messages.slice(-1))
  expect(runner.state.get(tokenEntity, tokenId)).toMatchObject({
    verdict: 'deviating',
    supply: null,
  })
})
