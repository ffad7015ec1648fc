import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { startEngine } from '../../libs/adapters/clickhouse/embedded-engine.ts'
import { events } from '../../libs/signals/events.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { allTables } from '../../libs/tables/tables/all-tables.ts'
import { progress } from '../../libs/tables/tables/progress.ts'
import { seeded } from '../../services/api/testing/seeded.ts'
import { isWhole } from '../support/run-length.ts'
import { testSeed } from '../support/seed.ts'
import { until } from '../support/until.ts'
import { blocksAlone, endAll, freshFolder, type Running, startUp } from './running.ts'

const killsCount = isWhole ? 50 : 20
/** Generous: a start, a blow and now and then a comparison, on a machine that does other things. */
const killMaxMs = 40_000
const seed = testSeed
/** Of the twelve in `test/mainnet`. */
const lastBlock = '17686121'

afterAll(endAll)

/** The newest row of every key of every table, tombstones included, as bytes. */
async function rowsOf(folder: string): Promise<Map<string, Buffer>> {
  const engine = await startEngine({ folder: join(folder, 'engine'), log: silentLog })
  const store = clickhouseStore({ ...engine, database: 'foldscan' })
  const rows = new Map<string, Buffer>()
  for (const table of allTables) {
    const key = Object.keys(table.key).join(', ')
    // Which flushes there were depends on batching.
    const from =
      table.name === progress.name ? "progress WHERE group NOT LIKE '%|ahead.%'" : table.stored
    const newest = `SELECT * FROM ${from} ORDER BY ${key}, position DESC LIMIT 1 BY ${key}`
    rows.set(table.name, await store.query(`SELECT * FROM (${newest}) ORDER BY ALL`, {}))
  }
  await store.close()
  await engine.stop()
  return rows
}

const ended = async (running: Running) =>
  Promise.race([
    running.logged(events.up.ready).then(
      () => true,
      () => false,
    ),
    running.exited.then(() => false),
  ])

interface Blow {
  /** After this event was logged; `up.starting` is the very beginning. */
  readonly after: string
  readonly laterMs: number
  readonly isEngine: boolean
}

/** Kills the process, or its engine, at a moment of the run; true if it had come to the end. */
async function killed(running: Running, { after, laterMs, isEngine }: Blow): Promise<boolean> {
  await running.logged(after)
  const done = await Promise.race([ended(running), pause(laterMs, false)])
  const engine = running.lines.find(({ event }) => event === events.engine.started)
  if (isEngine && engine) process.kill(z.int().parse(engine.pid), 'SIGKILL')
  else running.kill('SIGKILL')
  const { code } = await running.exited
  if (isEngine && engine) expect(code).toBe(1)
  return done
}

/** How long a run takes until it reads the source, and from there to the end. */
async function timesOf(running: Running): Promise<{ startMs: number; replayMs: number }> {
  await running.logged(events.up.starting)
  const began = Date.now()
  await running.logged(events.ingestor.started)
  const startMs = Date.now() - began
  await running.logged(events.up.ready)
  return { startMs, replayMs: Date.now() - began - startMs }
}

/** Ready is logged after a while in any case; the header shows when all of the source is read. */
async function stop(running: Running): Promise<void> {
  await running.logged(events.up.ready)
  const isRead = async () => {
    const { headers } = await running.get('/api/v2/openapi.json')
    return headers.get('x-indexed-block') === lastBlock
  }
  await until(`block ${lastBlock}`, isRead, killMaxMs)
  running.kill('SIGTERM')
  expect((await running.exited).code).toBe(0)
}

describe('foldscan up, killed again and again', () => {
  it(
    `leaves the tables of a clean run, row for row, after ${killsCount} kills`,
    async () => {
      const next = seeded(seed)
      // The wait for the end of a run is for blocks: facts of names may still be on their way.
      const source = blocksAlone()
      const clean = freshFolder()
      const first = startUp({ source, 'data-dir': clean })
      const { startMs, replayMs } = await timesOf(first)
      await stop(first)
      const expected = await rowsOf(clean)
      expect(Math.min(expected.get('transactions')?.length ?? 0, 1)).toBe(1)

      let folder = freshFolder()
      let inFolder = 0
      for (let kill = 1; kill <= killsCount; kill++) {
        const running = startUp({ source, 'data-dir': folder })
        // Most blows fall where rows are written; some where things are opened.
        const isOpening = next() < 0.2
        const done = await killed(running, {
          after: isOpening ? events.up.starting : events.ingestor.started,
          laterMs: next() * (isOpening ? startMs : replayMs),
          isEngine: next() < 0.5,
        })
        inFolder++
        if (!done && kill < killsCount) continue
        await stop(startUp({ source, 'data-dir': folder }))
        const rows = await rowsOf(folder)
        for (const [table, bytes] of expected) {
          const same = rows.get(table)?.equals(bytes)
          expect(same, `${table} after ${inFolder} kills, FOLDSCAN_TEST_SEED=${seed}`).toBe(true)
        }
        rmSync(folder, { recursive: true })
        folder = freshFolder()
        inFolder = 0
      }
      rmSync(clean, { recursive: true })
      rmSync(folder, { recursive: true })
    },
    // The clean run and the comparisons take as long as some kills.
    (killsCount + 10) * killMaxMs,
  )
})
