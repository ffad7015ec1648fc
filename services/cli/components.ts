import { setTimeout as pause } from 'node:timers/promises'

/** A piece of the running river. */
export interface Component {
  readonly name: string
  /** Ends it; what it acknowledged stays. */
  readonly stop: () => Promise<void>
  /** Resolves with the reason if it ends by itself; pends for ever if that cannot happen. */
  readonly failed?: Promise<unknown>
}

/**
 * What runs, in the order of starting. It stops in the opposite order, so that nobody loses
 * what it still needs to finish.
 */
export interface Components {
  readonly add: (component: Component) => void
  /** Rejects when a component ends that nobody stopped. */
  readonly failed: Promise<never>
  /** @returns names of components that did not stop within the time. */
  readonly stop: (timeoutMs: number) => Promise<string[]>
}

/** @param onStopped hears how long each component took to stop, in milliseconds */
export function startComponents(
  onStopped: (name: string, tookMs: number) => void = () => {},
): Components {
  const components: Component[] = []
  let stopping = false
  let fail: (reason: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  // Somebody always asks later; until then a failure is no stray rejection.
  failed.catch(() => {})
  return {
    failed,
    add(component) {
      // Somebody asked to stop while this one was still starting.
      if (stopping) component.stop().catch(() => {})
      components.push(component)
      component.failed?.then(
        (reason) => stopping || fail(reason),
        (reason) => stopping || fail(reason),
      )
    },
    async stop(timeoutMs) {
      stopping = true
      const deadline = Date.now() + timeoutMs
      const late: string[] = []
      for (const component of components.toReversed()) {
        const began = Date.now()
        if (!(await stoppedBy(deadline, component))) late.push(component.name)
        onStopped(component.name, Date.now() - began)
      }
      return late
    },
  }
}

/** A component that throws while it stops has stopped; the rest must still get their turn. */
async function stoppedBy(deadline: number, component: Component): Promise<boolean> {
  const timer = new AbortController()
  const late = pause(Math.max(0, deadline - Date.now()), false, { signal: timer.signal })
  const stopped = component.stop().then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([stopped, late])
  } finally {
    timer.abort()
    late.catch(() => {})
  }
}
