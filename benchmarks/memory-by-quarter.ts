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
    const size = Math.max(1, Math.ceil(this.samples.length / 4))
    return [0, 1, 2, 3].map((quarter) => {
      const part = this.samples.slice(quarter * size, (quarter + 1) * size)
      return {
        residentMiB: Math.max(0, ...part.map((sample) => sample.residentMiB)),
        privateMiB: Math.max(0, ...part.map((sample) => sample.privateMiB)),
      }
    })
  }
}
