import type { Running } from '../up/running.ts'

/** One page that was asked for. */
export interface Asked {
  readonly status: number
  /** Until the whole answer was there. */
  readonly ms: number
}

export interface SteadyAsks {
  /** Those that were answered so far, in the order of their answers. */
  readonly answered: readonly Asked[]
  /** Asks no more. @returns all, once the last has its answer */
  readonly stop: () => Promise<readonly Asked[]>
}

/** Asks every so many ms, whether or not those before have their answers. */
export function steadyAsks(
  service: Pick<Running, 'get'>,
  everyMs: number,
  path: () => string,
): SteadyAsks {
  const answered: Asked[] = []
  const inFlight = new Set<Promise<void>>()
  const ask = async () => {
    const begun = performance.now()
    const { status } = await service.get(path())
    answered.push({ status, ms: performance.now() - begun })
  }
  const timer = setInterval(() => {
    const one: Promise<void> = ask().finally(() => inFlight.delete(one))
    inFlight.add(one)
  }, everyMs)
  return {
    answered,
    async stop() {
      clearInterval(timer)
      await Promise.all(inFlight)
      return answered
    },
  }
}
