import { stateStoreLaws } from './state-store-laws.ts'
import { MemoryVolume, memoryStateStore } from './memory-state-store.ts'

stateStoreLaws('in memory', () => {
  const volume = new MemoryVolume()
  return { open: () => memoryStateStore(volume), remove: () => {} }
})
