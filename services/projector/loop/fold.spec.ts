import { expect, test } from 'vitest'
import { hash } from '../../../libs/chain/hex.ts'
import { memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import { stateGroup } from '../../../libs/projections/state/state-group.ts'
import { contract, emitted, person, transferLog } from '../../../libs/projections/testing/facts.ts'
import { logOf } from '../../../libs/projections/testing/log-of.ts'
import { beginning } from '../volume/checkpoint.ts'
import { groupStateAt } from '../volume/group-state.ts'
import { fold } from './fold.ts'
import { projectorLimits } from './limits.ts'
import { weightOf } from './message-weight.ts'

const { entitiesCachedMax, slicedWeightMin } = projectorLimits

test('a block that is not folded in slices may pause at each transfer, and counts at its end', async () => {
  const transfers = 500
  const logs = Array.from({ length: transfers }, (_, at) =>
    transferLog(contract(1), [person(at + 1), person(at + 2)], 1n),
  )
  const [message] = logOf([emitted(...logs)], 0)
  if (message === undefined) throw new Error('no message')
  expect(await weightOf(message, () => undefined)).toBeLessThan(slicedWeightMin)
  const at = groupStateAt(stateGroup, memoryStateStore(), {
    checkpoint: beginning(0),
    entitiesCachedMax,
  })
  let pauses = 0
  const pause = async () => {
    pauses += 1
    expect(at.accepted.sequence).toBe(0)
  }
  const hashOfBytes = hash(`0x${'1'.repeat(64)}`)
  const read = { offset: 0, wireBytes: 1, decoded: { message }, hash: hashOfBytes, whole: null }
  const { fate } = await fold(stateGroup, at, { read, pause })
  expect(fate).toBe('accepted')
  // Reading each, counting its holders, and each change.
  expect(pauses).toBeGreaterThan(3 * transfers)
  expect(at.accepted.sequence).toBe(message.sequence)
})
