import { setTimeout as pause } from 'node:timers/promises'

/** A component of the running process. */
interface Component {
  readonly name: string
  /** Stops it; acknowledged work is kept. */
  readonly stop: () => Promise<void>
  /** Resolves with the reason if it ends by itself; never resolves otherwise. */
  readonly failed?: Promise<unknown>
}

/**
 * Running components in start order. They are stopped in reverse order, so that each can still use
 * what it depends on.
 */
export interface Components {
  readonly add: (component: Component) => void
  /** Rejects when a component ends without being stopped. */
  readonly failed: Promise<never>
  /** @returns names of components that did not stop within the time. */
  readonly stop: (timeoutMs: number) => Promise<string[]>
}

/** @param onStopped called with the stop duration of each component, in milliseconds */
export function startComponents(
  onStopped: (name: string, tookMs: number) => void = () => {},
): Components {
  const components: Component[] = []
  let stopping = false
  let fail: (reason: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  // Avoids an unhandledRejection until it is awaited.
  failed.catch(() => {})
  return {
    failed,
    add(component) {
      // Stop was requested while this component was still starting.
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

/** A component that throws while stopping counts as stopped; the others are still stopped. */
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
