import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { startComponents } from '../../services/cli/process/run-until-stopped.ts'
import { openVolume } from '../../services/cli/serve/servers/open-volume.ts'

/** A line that the program prints, as JSON. */
export interface WriterLine {
  readonly name: string
  readonly pid: number
  readonly round?: number
  readonly opened?: true
  readonly found?: readonly string[]
  readonly ended?: true
  readonly failed?: string
  readonly message?: string
}

/**
 * A program: opens a service's volume or the log of embedded mode, and writes it until its standard
 * input has something, or it cannot. Each commit writes the program's name and the number of the
 * round under every key. Arguments: folder, name, what is opened, number of keys.
 */
const [dataDir = '', name = '', what = '', keys = ''] = process.argv.slice(2)

const print = (line: Omit<WriterLine, 'name' | 'pid'>) =>
  process.stdout.write(`${JSON.stringify({ name, pid: process.pid, ...line })}\n`)

function printFailure(error: unknown): void {
  if (!(error instanceof Error)) throw error
  print({ failed: error.name, message: error.message })
}

function opened<T>(open: () => T): T {
  try {
    return open()
  } catch (error) {
    printFailure(error)
    process.exit(0)
  }
}

const components = startComponents()
const volume = { dataDir, name: 'volume', owner: 'deployment d', components }
const state = what === 'log' ? null : opened(() => openVolume(volume))
const eventLog = what === 'log' ? opened(() => lmdbEventLog({ folder: dataDir })) : null
if (eventLog !== null) components.add({ name: 'log', stop: () => eventLog.close() })
const stored = [...(state?.scan(Buffer.alloc(0), 1_000_000) ?? [])]
print({ opened: true, found: [...new Set(stored.map(({ value }) => String(value)))] })

let isOver = false
const endRequested = new Promise((resolve) => process.stdin.once('data', resolve)).then(() => {
  isOver = what !== 'idle volume'
})

async function write(round: number): Promise<void> {
  const value = Buffer.from(`${name} ${round}`)
  await eventLog?.append('blocks', [{ key: '1', value }])
  const writes = Array.from(
    { length: Number(keys) },
    (_, key) => [Buffer.from(`k${key}`), value] as const,
  )
  const stagedCount = what === 'staged volume' ? Math.floor(writes.length / 2) : 0
  if (stagedCount > 0) await state?.stage(writes.slice(0, stagedCount))
  await state?.commit(writes.slice(stagedCount))
  const found = [...(state?.scan(Buffer.from('k'), 1_000_000) ?? [])]
  const other = found.find((entry) => !entry.value.equals(value))
  if (other !== undefined) throw new Error(`read back ${other.value}`)
}

try {
  if (what === 'idle volume') await endRequested
  for (let round = 1; !isOver; round++) {
    await write(round)
    print({ round })
  }
  print({ ended: true })
} catch (error) {
  printFailure(error)
}
await components.stop(10_000)
process.exit(0)
