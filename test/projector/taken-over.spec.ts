import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ownNamespace } from '../support/own-namespace.ts'
import { stripTypes } from '../support/strip-types.ts'
import { until } from '../support/until.ts'
import type { WriterLine } from './volume-writer.ts'

const program = fileURLToPath(new URL('volume-writer.ts', import.meta.url))

class Writer {
  readonly lines: WriterLine[] = []
  readonly exited: Promise<unknown>
  readonly #child: ChildProcessByStdio<null, Readable, null> | ReturnType<typeof spawn>

  constructor(args: readonly string[], namespace: readonly string[]) {
    const node = [process.execPath, ...stripTypes, program]
    const [command = '', ...rest] = [...namespace, ...node, ...args]
    const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child = child
    let text = ''
    child.stdout.on('data', (bytes) => {
      const lines = `${text}${bytes}`.split('\n')
      text = lines.pop() ?? ''
      this.lines.push(...lines.map((line): WriterLine => JSON.parse(line)))
    })
    this.exited = once(child, 'close')
  }

  get rounds(): number {
    return this.lines.filter(({ round }) => round !== undefined).length
  }

  get last(): WriterLine | undefined {
    return this.lines.at(-1)
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
    const [opened] = second.lines
    // What it found is one whole commit of the first one's, acknowledged or under way.
    if (what === 'log') return
    expect(opened?.found).toHaveLength(1)
    const [name, round] = opened?.found?.[0]?.split(' ') ?? []
    expect(name).toBe('first')
    expect([first.rounds, first.rounds + 1]).toContain(Number(round))
  })

  test('opening the volume of an idle process reports that, and succeeds once it ends', async () => {
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
