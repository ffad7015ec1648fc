import { readFileSync } from 'node:fs'

/** Memory of this process, MiB: all that is resident, and without mapped files. */
export interface Memory {
  readonly residentMiB: number
  readonly privateMiB: number
}

/** From Linux's own account: mapped LMDB pages are resident, but the kernel may take them back. */
export function memoryNow(): Memory {
  const status = readFileSync('/proc/self/status', 'utf8')
  const mebibytes = (name: string) =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024)
  return { residentMiB: mebibytes('VmRSS'), privateMiB: mebibytes('RssAnon') }
}

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
