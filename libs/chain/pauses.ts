import { setImmediate as breathe } from 'node:timers/promises'

/** Below what a reader of a page notices. */
const sliceMs = 8

/** Undefined: no pause is due, and nothing has to be awaited. */
export type Pause = () => Promise<void> | undefined

/** Pauses of long work: the process's other work has a turn where the last one is long ago. */
export function pauses(): Pause {
  let begun = performance.now()
  const turn = async () => {
    await breathe()
    begun = performance.now()
  }
  return () => (performance.now() - begun < sliceMs ? undefined : turn())
}
