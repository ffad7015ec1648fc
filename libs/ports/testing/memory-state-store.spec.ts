import { MemoryVolume, memoryStateStore } from './memory-state-store.ts'
import { stateStoreLaws } from './state-store-laws.ts'

stateStoreLaws('in memory', () => {
  const volume = new MemoryVolume()
  return { open: () => memoryStateStore(volume), remove: () => {} }
})
