import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import type { GroupName } from '../../../libs/tables/declare/group-versions.ts'

/** A group that folds its topics into tables until it is stopped or fails. */
export interface RunningGroup<Status> {
  status(): Status
  /** Resolves when all up to `position` can be read and was announced. @throws if it fails. */
  waitFor(position: number): Promise<void>
  /** Finishes the flush that is under way; what is folded beyond it is folded again. */
  stop(): Promise<void>
  /** Resolves with the reason when the group cannot go on; pends while it runs or stops. */
  readonly failed: Promise<Error>
}

/** What differs between groups: how they start, read and fold. */
export interface GroupLoop<At, Status> {
  status(): Status
  /** Where the group continues. */
  start(): Promise<At>
  /** Reads once, folds what came, and flushes; waits if nothing came. @returns where it is then */
  turn(at: At): Promise<At>
  /** Makes another start possible, by default never. @throws what it cannot repair */
  repair?(error: unknown): Promise<void>
  /** Resolves when no flush is under way. @throws what ended it */
  flushed(): Promise<void>
  /** Called once it has ended. */
  close?(): void
}

/** What a loop needs to know of its life, and reports to it. */
export interface GroupLife {
  /** Aborts when the group is to stop. */
  readonly signal: AbortSignal
  /** All up to this position can be read and was announced. */
  readonly reach: (position: number) => void
}

/** Runs the loop of a group until it is stopped or fails. */
export function runGroup<At, Status>(
  { group, log }: { readonly group: GroupName; readonly log: Log },
  loopOf: (life: GroupLife) => GroupLoop<At, Status>,
): RunningGroup<Status> {
  const stopping = new AbortController()
  const { signal } = stopping
  const waiting = new Waiting()
  const loop = loopOf({ signal, reach: (position) => waiting.reach(position) })

  /** From where it stands on, until it is stopped. */
  async function live(): Promise<void> {
    let at = await loop.start()
    while (!signal.aborted) at = await loop.turn(at)
  }

  async function repaired(error: unknown): Promise<void> {
    if (loop.repair === undefined) throw error
    await loop.repair(error)
  }

  /** @returns what ended it, or null if it was stopped. */
  async function run(): Promise<Error | null> {
    try {
      while (!signal.aborted) await live().catch(repaired)
      await loop.flushed()
      waiting.end(new Error(`the ${group} projector was stopped`))
      return null
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      // The volume must not be closed during a commit.
      await loop.flushed().catch(() => {})
      waiting.end(error)
      if (signal.aborted) return null
      const fields = { event: events.projector.halted, group, error: error.message }
      log.error(fields, `${group} has halted: ${error.message}`)
      return error
    } finally {
      loop.close?.()
    }
  }

  const ended = run()
  return {
    status: () => loop.status(),
    waitFor: (position) => waiting.until(position),
    failed: new Promise((resolve) => ended.then((error) => error !== null && resolve(error))),
    async stop() {
      stopping.abort()
      await ended
    },
  }
}

/** Waiters for a position. */
class Waiting {
  private readonly waiters = new Set<{ sequence: number; resolve: () => void; reject: Reject }>()
  private reached = 0
  private ended: Error | null = null

  /** Resolves when `sequence` is reached. @throws what ended the projector before. */
  until(sequence: number): Promise<void> {
    if (sequence <= this.reached) return Promise.resolve()
    if (this.ended !== null) return Promise.reject(this.ended)
    return new Promise((resolve, reject) => this.waiters.add({ sequence, resolve, reject }))
  }

  reach(sequence: number): void {
    this.reached = sequence
    for (const waiter of this.waiters) {
      if (waiter.sequence > sequence) continue
      this.waiters.delete(waiter)
      waiter.resolve()
    }
  }

  end(reason: Error): void {
    this.ended = reason
    for (const { reject } of this.waiters) reject(reason)
    this.waiters.clear()
  }
}

type Reject = (reason: Error) => void
