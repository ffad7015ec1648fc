import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { type Engine, startEngine } from '../../libs/adapters/clickhouse/embedded-engine.ts'
import { queryEngine } from '../../libs/adapters/clickhouse/query-engine.ts'
import { StoreUnavailable } from '../../libs/ports/store.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { RowSink, RowSource } from '../../libs/tables/declare/row-binary.ts'
import { stripTypes } from '../support/strip-types.ts'

const folders: string[] = []
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-test-engine-'))
  folders.push(folder)
  return folder
}

let engines: Engine[] = []
const start = async (folder: string) => {
  const engine = await startEngine({ folder, log: silentLog })
  engines.push(engine)
  return engine
}

afterEach(async () => {
  await Promise.all(engines.map((engine) => engine.stop()))
  engines = []
})
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const boundMs = 10_000
const eventually = async (isTrue: () => boolean) => {
  const deadline = Date.now() + boundMs
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error(`not within ${boundMs} ms: ${isTrue}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const one = (number: number) => {
  const sink = new RowSink()
  sink.uint64(number)
  return Buffer.from(sink.bytes())
}

const createKept = `CREATE TABLE kept (number UInt64) ENGINE = MergeTree ORDER BY number
  SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`

describe('the engine', () => {
  it('keeps every acknowledged row when it is killed, and the store finds it again', async () => {
    const folder = newFolder()
    const first = await start(folder)
    await queryEngine(first, 'CREATE DATABASE kept ENGINE = Atomic')
    const store = clickhouseStore({ ...first, database: 'kept' })
    await store.execute(createKept)
    let acknowledged = 0
    const writing = (async () => {
      for (;;) {
        await store.insert('kept', ['number'], one(acknowledged))
        acknowledged += 1
      }
    })().catch((error: unknown) => error)
    await eventually(() => acknowledged >= 20)
    process.kill(first.pid, 'SIGKILL')
    expect(await writing).toBeInstanceOf(StoreUnavailable)
    expect(await first.exited).toContain('SIGKILL')
    await expect(store.query('SELECT 1', {})).rejects.toBeInstanceOf(StoreUnavailable)
    await store.close()

    const second = await start(folder)
    const again = clickhouseStore({ ...second, database: 'kept' })
    const answer = await again.query('SELECT number FROM kept ORDER BY number', {})
    const source = new RowSource(answer)
    // The one under way when it was killed may be there or not.
    for (let number = 0; number < acknowledged; number++) expect(source.uint64()).toBe(number)
    await again.close()
  })

  it('dies with its parent, even when nobody can tell it to', async () => {
    const parent = parentOfAnEngine(newFolder())
    const pid = Number(await firstLine(parent))
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await eventually(() => !isAlive(pid))
  })

  it('stops on request, reports it, and can be stopped twice', async () => {
    const engine = await start(newFolder())
    await engine.stop()
    await engine.stop()
    expect(await engine.exited).toBe('the engine was stopped')
    expect(isAlive(engine.pid)).toBe(false)
  })

  it('lets nobody in without its password, which no file keeps', async () => {
    const folder = newFolder()
    const engine = await start(folder)
    const stranger = { url: engine.url, username: 'default', password: '' }
    for (const nobody of [
      stranger,
      { ...engine, password: 'wrong' },
      { ...engine, password: '' },
    ]) {
      await expect(queryEngine(nobody, 'SELECT 1')).rejects.toThrow('no handle')
    }
    expect(readdirSync(folder).sort()).toEqual(['.gitignore', 'data'])
  })

  it('does nothing that is asked without its password, and so cannot be stopped', async () => {
    const engine = await start(newFolder())
    const wishes = [
      'SYSTEM STOP LISTEN HTTP',
      'SYSTEM START LISTEN HTTP',
      'SELECT 1',
      'SELECT length(groupArray(number)) FROM numbers(1000)',
      'KILL QUERY WHERE 1 SYNC',
      'DROP DATABASE default',
    ]
    // What a page of any site may post to a port of this machine, and what a careful one could.
    const asSomebody = ['', '?user=default&password=', '?user=foldscan']
    for (const wish of wishes) {
      for (const who of asSomebody) {
        const headers = { 'content-type': 'text/plain', origin: 'http://elsewhere.example' }
        const url = `${engine.url}/${who}`
        const posted = await fetch(url, { method: 'POST', body: wish, headers })
        expect(posted.status, `${wish} ${who}`).toBe(404)
      }
      const got = await fetch(`${engine.url}/?query=${encodeURIComponent(wish)}`)
      expect(got.status, wish).toBe(404)
    }
    expect(await queryEngine(engine, 'SELECT 1')).toBe('1\n')
    const asked = await queryEngine(
      engine,
      "SELECT value FROM system.events WHERE event = 'FailedQuery'",
    )
    expect(asked).toBe('')
  })

  it('takes no file and no further thread for a short answer', async () => {
    const engine = await start(newFolder())
    const store = clickhouseStore({ ...engine, database: 'default' })
    const counted = async (sql: string) => new RowSource(await store.query(sql, {})).uint64()
    const eventCount = (name: string) =>
      counted(`SELECT ifNull(max(value), 0) FROM system.events WHERE event = '${name}'`)
    const files = () => eventCount('ExternalProcessingFilesTotal')
    const jobs = () => eventCount('LocalThreadPoolJobs')
    await store.execute(
      'CREATE TABLE numbers_kept (number UInt64) ENGINE = MergeTree ORDER BY number',
    )
    const before = { files: await files(), jobs: await jobs() }
    const asked = 40
    for (let times = 0; times < asked; times++) await counted('SELECT toUInt64(1)')
    await store.insert('numbers_kept', ['number'], { bytes: one(0), count: 1 })
    expect(await files()).toBe(before.files)
    // Each took four before. A merge may take some meanwhile.
    expect(await jobs()).toBeLessThan(before.jobs + asked)
    await store.close()
  })

  it('is refused a folder that another one uses, and leaves that one alone', async () => {
    const folder = newFolder()
    const engine = await start(folder)
    await expect(start(folder)).rejects.toThrow(
      `another engine is using the folder ${folder}; stop it first`,
    )
    expect(await queryEngine(engine, 'SELECT 1')).toBe('1\n')
  })

  it('names a folder whose tables it cannot read', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'data', 'metadata'), { recursive: true })
    writeFileSync(join(folder, 'data', 'metadata', 'kept.sql'), 'half a fi')
    await expect(start(folder)).rejects.toThrow(
      new RegExp(`^the engine cannot open the folder ${folder}, which may be damaged: `),
    )
  })

  it('names tables whose files were cut, instead of going on without their rows', async () => {
    const folder = newFolder()
    const engine = await start(folder)
    await queryEngine(engine, 'CREATE DATABASE kept ENGINE = Atomic')
    await queryEngine(engine, createKept.replace('TABLE kept', 'TABLE kept.kept'))
    await queryEngine(engine, 'INSERT INTO kept.kept SELECT number FROM numbers(1000)')
    const path = await queryEngine(
      engine,
      "SELECT path FROM system.parts WHERE database = 'kept' FORMAT TSVRaw",
    )
    await engine.stop()
    const part = path.trim()
    const file = readdirSync(part).find((name) => name.startsWith('data.bin')) ?? 'number.bin'
    chmodSync(join(part, file), 0o600)
    writeFileSync(join(part, file), 'cut')
    await expect(start(folder)).rejects.toThrow(
      `the tables in the folder ${folder} are damaged, rows are missing from kept: restore a copy`,
    )
  })

  it('names the package that is missing', async () => {
    vi.stubEnv('CHDB_LIBCHDB_PATH', '/nowhere/libchdb.so')
    await expect(start(newFolder())).rejects.toThrow(/^the package chdb is missing .*install it/)
    vi.unstubAllEnvs()
  })

  it('names a folder that cannot be made', async () => {
    const file = join(newFolder(), 'file')
    writeFileSync(file, '')
    await expect(start(join(file, 'folder'))).rejects.toThrow('the folder')
  })
})

/** A process that starts an engine, prints its pid, and waits for ever. */
function parentOfAnEngine(folder: string): ChildProcess {
  const program = `
    import { startEngine } from './libs/adapters/clickhouse/embedded-engine.ts'
    import { silentLog } from './libs/signals/log.ts'
    const engine = await startEngine({ folder: ${JSON.stringify(folder)}, log: silentLog })
    console.log(engine.pid)
    setInterval(() => {}, 1000)`
  return spawn(process.execPath, [...stripTypes, '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no stdout')
  const [line] = await once(child.stdout, 'data')
  return String(line).trim()
}
