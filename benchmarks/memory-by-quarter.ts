import { processNow } from './processes.ts'

/** Memory of this process, MiB: all that is resident, and without mapped files. */
export interface Memory {
  readonly residentMiB: number
  readonly privateMiB: number
}

/** Mapped LMDB pages are resident, but the kernel may take them back. */
const memoryNow = (): Memory => processNow(process.pid)

/** Greatest of both in each quarter of a run: flat is what a long replay needs. */
export class MemoryByQuarter {
  private readonly samples: Memory[] = []
  private readonly timer: NodeJS.Timeout

  constructor(everyMs: number) {
    this.timer = setInterval(() => this.samples.push(memoryNow()), everyMs)
  }

  stop(): readonly Memory[] {
    clearInterval(this.timer)
    const resident = quartersOf(this.samples.map(({ residentMiB }) => residentMiB))
    const own = quartersOf(this.samples.map(({ privateMiB }) => privateMiB))
    return resident.map((residentMiB, at) => ({ residentMiB, privateMiB: own[at] ?? 0 }))
  }
}

/** The greatest sample of each quarter; 0 where there is none. */
export function quartersOf(samples: readonly number[]): readonly number[] {
  const size = Math.max(1, Math.ceil(samples.length / 4))
  return [0, 1, 2, 3].map((at) => Math.max(0, ...samples.slice(at * size, (at + 1) * size)))
}
