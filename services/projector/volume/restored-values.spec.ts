import { expect, test } from 'vitest'
import { MemoryScratch } from '../../../libs/projections/testing/memory-scratch.ts'
import { MemoryState } from '../../../libs/projections/testing/memory-state.ts'
import { senders } from '../testing/toy-group.ts'
import { RestoredValues } from './restored-values.ts'

test('values that are as they were before are places to pause, in memory and spilled', async () => {
  const state = new MemoryState()
  const ids = Array.from({ length: 1_000 }, (_, n) => n.toString(16).padStart(40, '0'))
  state.write(ids.map((id) => ({ entity: senders, id, before: undefined, after: 3 })))
  const restored = new RestoredValues(new Map([[senders.tag, senders]]), state)
  for (const id of ids) restored.restore({ entity: senders, id, before: 3 })
  const places = ids.map(() => null)
  expect([...restored.changes()]).toEqual(places)
  await restored.spill(new MemoryScratch())
  expect([...restored.changes()]).toEqual(places)
})
