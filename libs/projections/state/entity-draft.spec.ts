import { expect, test } from 'vitest'
import { holdingEntity } from '../entities/balance.ts'
import { MemoryScratch } from '../testing/memory-scratch.ts'
import { MemoryState } from '../testing/memory-state.ts'
import { EntityDraft } from './entity-draft.ts'

/** Reading them back took a quarter of a second at a time, without a place to pause in between. */
test('values that a message made and removed are places to pause, in memory and spilled', async () => {
  const draft = new EntityDraft(holdingEntity, new MemoryState())
  const ids = Array.from({ length: 1_000 }, (_, n) => n.toString(16).padStart(80, '0'))
  for (const id of ids) draft.edit(id, () => ({ count: 1, knownFrom: 0 }))
  for (const id of ids) draft.remove(id)
  const places = ids.map(() => null)
  expect([...draft.changes()]).toEqual(places)
  await draft.spill(new MemoryScratch())
  expect([...draft.changes()]).toEqual(places)
})
