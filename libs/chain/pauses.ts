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

/** The result of work in steps, with pauses between them. @param onStep called after each step */
export async function withPauses<S, R>(
  steps: Generator<S, R>,
  pause: Pause,
  onStep?: (step: S) => Promise<void> | undefined,
): Promise<R> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    const done = onStep?.(step.value)
    if (done !== undefined) await done
    const paused = pause()
    if (paused !== undefined) await paused
  }
}

/** The same without a pause: for what is known to be small. */
export function atOnce<R>(steps: Generator<unknown, R>): R {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
