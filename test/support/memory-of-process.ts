import { z } from 'zod'
import type { Running } from '../up/running.ts'
import { until } from './until.ts'

const event = 'test.memory'

/** Runs before the process's own code, so it must be one that Node takes as it stands. */
const source = `
import { getHeapCodeStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
process.on('SIGUSR2', async () => {
  for (let times = 0; times < 4; times++) {
    collect()
    await new Promise(setImmediate)
  }
  const code = getHeapCodeStatistics()
  const compiled = code.code_and_metadata_size + code.bytecode_and_metadata_size
  const line = { event: '${event}', compiled, ...process.memoryUsage() }
  process.stdout.write(JSON.stringify(line) + '\\n')
})
`

/** What makes a process of Node say its memory when it is asked to. */
export const reportingMemory: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}`,
}

const usage = z.looseObject({
  compiled: z.number(),
  rss: z.number(),
  heapUsed: z.number(),
  external: z.number(),
})

/** MiB of a process after a full collection of garbage. */
export interface ProcessMemory {
  /** Objects and buffers that live; not code, of which more is compiled as more of it runs. */
  readonly liveMiB: number
  /** All that is resident. */
  readonly residentMiB: number
}

/** Of a process that was started with `reportingMemory`. */
export async function memoryOf(running: Running): Promise<ProcessMemory> {
  const lines = () => running.lines.filter((line) => line.event === event)
  const before = lines().length
  running.kill('SIGUSR2')
  await until('it says its memory', () => lines().length > before)
  const { compiled, rss, heapUsed, external } = usage.parse(lines().at(-1))
  return {
    liveMiB: (heapUsed - compiled + external) / 1024 ** 2,
    residentMiB: rss / 1024 ** 2,
  }
}
