import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ownNamespace } from '../support/own-namespace.ts'
import { until } from '../support/until.ts'

/**
 * Opens a service's volume, and the log of the embedded form, and writes both until it is told to
 * end or cannot. Each commit writes its name and number under every key.
 */
const script = `
  import { lmdbEventLog } from './libs/adapters/lmdb/lmdb-event-log.ts'
  import { startParts } from './services/cli/components.ts'
  import { openVolume } from './services/cli/serve/open-volume.ts'
  const [dataDir, name, what, keys] = process.argv.slice(1)
  const say = (said) => process.stdout.write(JSON.stringify({ name, pid: process.pid, ...said }) + '\\n')
  const parts = startParts()
  const volume = { dataDir, name: 'volume', owner: 'deployment d', parts }
  const opened = (open) => {
    try {
      return open()
    } catch (error) {
      say({ failed: error.name, message: error.message })
      process.exit(0)
    }
  }
  const state = what === 'log' ? null : opened(() => openVolume(volume))
  const log = what === 'log' ? opened(() => lmdbEventLog({ folder: dataDir })) : null
  if (log !== null) parts.add({ name: 'log', stop: () => log.close() })
  const found = new Set([...(state?.scan(Buffer.alloc(0), 1e6) ?? [])].map(({ value }) => String(value)))
  say({ opened: true, found: [...found] })
  let isOver = false
  const asked = new Promise((resolve) => process.stdin.once('data', resolve))
  void asked.then(() => { isOver = what !== 'idle volume' })
  const write = async (round) => {
    const value = Buffer.from(name + ' ' + round)
    await log?.append('blocks', [{ key: '1', value }])
    await state?.commit(Array.from({ length: keys }, (_, key) => [Buffer.from('k' + key), value]))
    const read = [...(state?.scan(Buffer.from('k'), 1e6) ?? [])].filter(({ value: held }) => !held.equals(value))
    if (read.length > 0) throw new Error('read back ' + read[0].value)
  }
  try {
    if (what === 'idle volume') await asked
    for (let round = 1; !isOver; round++) {
      await write(round)
      say({ round })
    }
    say({ ended: true })
  } catch (error) {
    say({ failed: error.name, message: error.message })
  }
  await parts.stop(10000)
  process.exit(0)
`

interface Said {
  readonly name: string
  readonly pid: number
  readonly round?: number
  readonly opened?: true
  readonly found?: readonly string[]
  readonly ended?: true
  readonly failed?: string
  readonly message?: string
}

class Writer {
  readonly said: Said[] = []
  readonly exited: Promise<unknown>
  readonly #child: ChildProcessByStdio<null, Readable, null> | ReturnType<typeof spawn>

  constructor(args: readonly string[], namespace: readonly string[]) {
    const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', script]
    const [command = '', ...rest] = [...namespace, ...node, ...args]
    const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child = child
    let text = ''
    child.stdout.on('data', (bytes) => {
      const lines = `${text}${bytes}`.split('\n')
      text = lines.pop() ?? ''
      this.said.push(...lines.map((line): Said => JSON.parse(line)))
    })
    this.exited = once(child, 'close')
  }

  get rounds(): number {
    return this.said.filter(({ round }) => round !== undefined).length
  }

  get last(): Said | undefined {
    return this.said.at(-1)
  }

  end(): void {
    this.#child.stdin?.write('end')
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}

let folder: string
let writers: Writer[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'foldscan-taken-'))
})
afterEach(async () => {
  for (const writer of writers) writer.kill()
  await Promise.all(writers.map(({ exited }) => exited))
  writers = []
  rmSync(folder, { recursive: true, force: true })
})

function started(name: string, what: string, keys: number): Writer {
  const writer = new Writer([folder, name, what, `${keys}`], namespace ?? [])
  writers.push(writer)
  return writer
}

const namespace = ownNamespace()

/** Two containers with one volume: neither sees the processes of the other. */
describe.skipIf(namespace === null)('in another pid namespace', () => {
  test.each([
    ['a volume, in small commits', 'volume', 3],
    ['a volume, in the midst of great ones', 'volume', 3_500],
    ['the log of the embedded form', 'log', 1],
  ])('who opens %s has it, and who had it ends with a clear error', async (_law, what, keys) => {
    const first = started('first', what, keys)
    await until('the first one writes', () => first.rounds > 5)
    const second = started('second', what, keys)
    await until('the first one gave up', () => first.last?.failed !== undefined)
    await first.exited
    await until('the second one goes on', () => second.rounds > 20)
    second.end()
    await second.exited
    expect([first.last?.pid, second.last?.pid]).toEqual([1, 1])
    expect(first.last).toMatchObject({ failed: 'Fenced' })
    expect(first.last?.message).toContain('was taken over by process 1 on host ')
    expect(second.last).toMatchObject({ ended: true })
    const [opened] = second.said
    // What it found is one whole commit of the first one's, acknowledged or under way.
    if (what === 'log') return
    expect(opened?.found).toHaveLength(1)
    const [name, round] = opened?.found?.[0]?.split(' ') ?? []
    expect(name).toBe('first')
    expect([first.rounds, first.rounds + 1]).toContain(Number(round))
  })

  test('who opens the volume of one that does not write says so, and has it after that one', async () => {
    const first = started('first', 'idle volume', 3)
    await until('the first one has it', () => first.last?.opened === true)
    const second = started('second', 'volume', 3)
    await second.exited
    expect(second.last).toMatchObject({ failed: 'Fenced' })
    expect(second.last?.message).toContain(
      'is open in another container, whose process has number 1',
    )
    first.end()
    await first.exited
    expect(first.last?.message).toContain('was taken over by process 1 on host ')
    const third = started('third', 'volume', 3)
    await until('the third one writes', () => third.rounds > 5)
  })
})
