import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import { mapEnvironment } from '../../libs/adapters/lmdb/open-environment.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { startComponents } from '../../services/cli/process/run-until-stopped.ts'
import { copyRegularly, startFromCopy } from '../../services/cli/serve/volume-copies.ts'
import { copiesFolder, newestCopy, takeCopy } from '../../services/projector/copies.ts'
import { random } from '../queries/random.ts'
import { testSeed } from '../support/seed.ts'
import { stripTypes } from '../support/strip-types.ts'
import type { WriterLine } from './volume-writer.ts'

const program = fileURLToPath(new URL('volume-writer.ts', import.meta.url))
const [first, second, third] = ['01', '02', '03'].map((day) =>
  Date.parse(`2026-11-${day}T05:06:07Z`),
)

let root: string
let copies: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'foldscan-copies-'))
  copies = copiesFolder(join(root, 'copies'), 'deployment d', 'projector-state')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const folder = () => join(root, 'state')
const key = Buffer.from('k')

/** Its values are of some length, so that a copy takes some time. */
const writerName = 'writer'.repeat(30)

/** A state store with a value. */
async function written(value: string): Promise<void> {
  const state = lmdbStateStore({ folder: folder() })
  await state.commit([[key, Buffer.from(value)]])
  await state.close()
}

/** The values of a state store, each once. */
async function valuesIn(folder: string): Promise<ReadonlySet<string>> {
  const state = lmdbStateStore({ folder })
  const values = new Set([...state.scan(key, 1_000_000)].map(({ value }) => String(value)))
  await state.close()
  return values
}

const start = () =>
  startFromCopy({ log: silentLog }, { root: join(root, 'copies'), folder: copies, state: folder() })

interface Writer {
  /** The last round that it has written. */
  readonly round: () => number
  readonly nextLine: () => Promise<unknown>
  readonly end: (isKilled?: boolean) => Promise<unknown>
}

/** A process that writes all keys, in one commit a round. */
function writing(what: string, keys: number): Writer {
  const args = [...stripTypes, program, root, writerName, what, `${keys}`]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'close')
  let round = 0
  const lines = createInterface({ input: child.stdout }).on('line', (text) => {
    const line: WriterLine = JSON.parse(text)
    round = line.round ?? round
  })
  return {
    round: () => round,
    nextLine: () => once(lines, 'line'),
    end(isKilled = false) {
      if (isKilled) child.kill('SIGKILL')
      else child.stdin.write('end')
      return exited
    },
  }
}

const writtenState = () => join(root, 'volume/state')

/** The round that a copy has, all keys of it. */
async function roundIn(path: string): Promise<number> {
  expect(readdirSync(path)).toEqual(['state.lmdb'])
  const values = [...(await valuesIn(path))]
  expect(values).toHaveLength(1)
  return Number(values[0]?.split(' ')[1])
}

describe('a volume that is written meanwhile', () => {
  test.each([
    ['small commits', 'volume', 3],
    ['commits in parts', 'volume', 30_000],
    ['commits with staged writes', 'staged volume', 30_000],
  ])('is copied as one of its commits left it: %s', async (_law, what, keys) => {
    const writer = writing(what, keys)
    while (writer.round() === 0) await writer.nextLine()
    const found: number[] = []
    for (let taken = 0; taken < 6; taken++) {
      const before = writer.round()
      const at = Number(first) + taken * 1_000
      const { path } = await takeCopy(writtenState(), { folder: copies, at })
      found.push(await roundIn(path))
      expect(found.at(-1)).toBeGreaterThanOrEqual(before)
    }
    await writer.end()
    expect(new Set(found).size).toBeGreaterThan(1)
  })

  test(`is copied with what it had staged when it was killed (seed ${testSeed})`, async () => {
    const chosen = random(testSeed)
    let inTheMidst = 0
    for (let life = 0; inTheMidst < 2; life++) {
      expect(life).toBeLessThan(60)
      const writer = writing('staged volume', 30_000)
      while (writer.round() === 0) await writer.nextLine()
      await pause(chosen.below(300))
      await writer.end(true)
      if (!(await isInTheMidst())) continue
      inTheMidst += 1
      const at = Number(first) + life * 1_000
      const { path } = await takeCopy(writtenState(), { folder: copies, at })
      expect(await roundIn(path)).toBeGreaterThan(0)
    }
  })
})

/** Whether the next start will finish a commit. */
async function isInTheMidst(): Promise<boolean> {
  const file = mapEnvironment(join(writtenState(), 'state.lmdb'), { compression: false })
  const redo = file.getBinary(Buffer.from('\0redo'))
  await file.close()
  return redo !== undefined
}

test('the two newest copies stay, and no unfinished one of this host, or an old one', async () => {
  for (const [at, value] of [first, second, third].entries()) {
    await written(`${at}`)
    const unfinished = ['unfinished-other', `unfinished-${hostname()}`].map((name) =>
      join(copies, name),
    )
    for (const path of unfinished) mkdirSync(path, { recursive: true })
    const isOld = value === third
    const touched = new Date(Number(value) - (isOld ? 4 : 1) * 3_600_000)
    utimesSync(unfinished[0] ?? '', touched, touched)
    await takeCopy(folder(), { folder: copies, at: Number(value) })
    expect(readdirSync(copies).includes('unfinished-other')).toBe(!isOld)
  }
  expect(readdirSync(copies)).toEqual(['20261102T050607Z-0', '20261103T050607Z-0'])
  const path = join(copies, '20261103T050607Z-0')
  expect(await newestCopy(copies)).toEqual({ path, at: third, position: 0 })
})

test('a volume that is not there is no copy', async () => {
  await expect(takeCopy(folder(), { folder: copies, at: Number(first) })).rejects.toThrow(
    'state.lmdb cannot be read',
  )
  expect(readdirSync(copies)).toEqual([])
})

describe('a projector', () => {
  test('starts from the newest copy where its volume is empty', async () => {
    mkdirSync(copies, { recursive: true })
    await start()
    expect(existsSync(folder())).toBe(false)
    await written('old')
    await takeCopy(folder(), { folder: copies, at: Number(first) })
    await written('new')
    await takeCopy(folder(), { folder: copies, at: Number(second) })
    rmSync(folder(), { recursive: true })
    mkdirSync(join(copies, 'unfinished-other'))
    // Of one that was killed in the midst of this.
    mkdirSync(`${folder()}.restored`)
    writeFileSync(join(`${folder()}.restored`, 'state.lmdb'), 'half')
    await start()
    expect(await valuesIn(folder())).toEqual(new Set(['new']))
    expect(readdirSync(root)).toEqual(['copies', 'state'])
  })

  test('starts with the volume that it has, and with no copy of another deployment', async () => {
    await written('own')
    await takeCopy(folder(), { folder: copies, at: Number(first) })
    await written('newer')
    await start()
    expect(await valuesIn(folder())).toEqual(new Set(['newer']))
    const other = copiesFolder(join(root, 'copies'), 'deployment e', 'projector-state')
    expect(await newestCopy(other)).toBeNull()
  })

  test('says so where a copy cannot be restored, and does not fold from the beginning', async () => {
    mkdirSync(copies, { recursive: true })
    const path = join(copies, '20261103T050607Z-7')
    writeFileSync(path, 'no folder')
    await expect(start()).rejects.toThrow(`The volume is empty, and ${path} cannot be restored: `)
  })

  test('has no volume of a copy that was cut off, and starts from the one before', async () => {
    await written('older')
    await takeCopy(folder(), { folder: copies, at: Number(first) })
    await written('newer')
    const { path, bytes } = await takeCopy(folder(), { folder: copies, at: Number(second) })
    truncateSync(join(path, 'state.lmdb'), bytes / 2)
    rmSync(folder(), { recursive: true })
    await expect(start()).rejects.toThrow(`${path} cannot be restored: `)
    expect(readdirSync(root)).toEqual(['copies'])
    rmSync(path, { recursive: true })
    await start()
    expect(await valuesIn(folder())).toEqual(new Set(['older']))
  })

  test('keeps the copy that has folded most, and the one just made, whatever the clock was', async () => {
    const ahead = Number(third)
    for (const at of [ahead, ahead + 1_000]) {
      await written(`${at}`)
      await takeCopy(folder(), { folder: copies, at })
    }
    const { path } = await takeCopy(folder(), { folder: copies, at: Number(first) })
    expect(existsSync(path)).toBe(true)
    // A volume that was begun anew, as the disk of the copies was away.
    const folded = join(copies, '20261101T050607Z-12')
    renameSync(path, folded)
    await expect(takeCopy(folder(), { folder: copies, at: ahead + 2_000 })).rejects.toThrow(
      `the volume is at position 0, and ${folded} at 12: that one stays`,
    )
    expect(await newestCopy(copies)).toMatchObject({ path: folded, position: 12 })
  })

  test('does not begin anew where the folder for copies is not there', async () => {
    await expect(start()).rejects.toThrow(
      '/copies of --copies does not exist: mount it, or make it.',
    )
    await written('whole')
    await start()
    expect(await valuesIn(folder())).toEqual(new Set(['whole']))
  })
})

describe('a projector that makes copies', () => {
  const settings = { group: 'state', dataDir: '', copies: '', copyEveryHours: 6 } as const
  let components: ReturnType<typeof startComponents>
  const [, script] = process.argv
  beforeEach(() => {
    components = startComponents()
  })
  afterEach(async () => {
    process.argv[1] = String(script)
    await components.stop(5_000)
  })

  /** What it says first of a copy that its child makes. */
  function firstWarning(child: string): Promise<string> {
    process.argv[1] = child
    const given = { ...settings, dataDir: root, copies: root }
    const metrics = startMetrics()
    return new Promise((resolve) => {
      const warn = (_fields: object, sentence: string) => resolve(sentence)
      const context = { log: { ...silentLog, warn }, metrics, components }
      copyRegularly(context, { settings: given, folder: copies })
    })
  }

  const childOf = (text: string) => {
    const path = join(root, 'child.mjs')
    writeFileSync(path, text)
    return path
  }

  test('says what its child complains about', async () => {
    const foldscan = fileURLToPath(new URL('../../services/cli/foldscan.mjs', import.meta.url))
    expect(await firstWarning(foldscan)).toContain('holds no volume of a projector of state')
  })

  test.each([
    ['process.exit(9)', 'its process ended with 9.'],
    ["process.kill(process.pid, 'SIGKILL')", 'its process ended with SIGKILL.'],
  ])('says how a child ended that says nothing: %s', async (text, sentence) => {
    expect(await firstWarning(childOf(text))).toBe(`The volume was not copied: ${sentence}`)
  })
})
