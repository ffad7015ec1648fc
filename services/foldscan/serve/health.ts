/** Why a process is not ready. `reason` is a short stable word. */
export interface Reason {
  readonly reason: string
  readonly sentence: string
}

/** Null where nothing is wrong. */
export type Check = () => Promise<Reason | null> | Reason | null

const starting: Reason = { reason: 'starting', sentence: 'it has not begun its work yet' }
const ending: Reason = { reason: 'stopping', sentence: 'it was asked to stop' }

/** Whether a process can do its work, and if not, why. */
export class Health {
  private readonly checks: Check[] = []
  private stage: 'starting' | 'runs' | 'stopping' = 'starting'
  private awaited: Reason | null = null

  add(check: Check): void {
    this.checks.push(check)
  }

  /** What the process waits for before it can begin; null once that is there. */
  setWaiting(awaited: Reason | null): void {
    this.awaited = awaited
  }

  started(): void {
    this.stage = 'runs'
  }

  stopping(): void {
    this.stage = 'stopping'
  }

  /** None where it is ready; each word once, though several checks may find it. */
  async reasons(): Promise<readonly Reason[]> {
    if (this.stage === 'stopping') return [ending]
    if (this.stage === 'starting') return [this.awaited ?? starting]
    const byWord = new Map<string, Reason>()
    for (const found of await Promise.all(this.checks.map((check) => check()))) {
      if (found !== null && !byWord.has(found.reason)) byWord.set(found.reason, found)
    }
    return [...byWord.values()]
  }
}
