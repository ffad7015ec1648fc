import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import type { Store } from '../../libs/ports/store.ts'
import { ledger } from '../../libs/projections/ledger.ts'
import { stateGroup } from '../../libs/projections/state-group.ts'
import { readModels } from '../../libs/read-models/registry.ts'
import { calmLife, expectAllAnnounced } from '../../services/projector/testing/expectations.ts'
import { MemoryStore } from '../../services/projector/testing/memory-store.ts'
import { play, type Scenario, scenarios } from '../../services/projector/testing/scenarios.ts'
import { World } from '../../services/projector/testing/world.ts'
import { testStore } from '../support/engine.ts'

const seed = Number(process.env.FOLDSCAN_TEST_SEED ?? Date.now() % 1_000_000_000)
const runs = { seed, numRuns: Number(process.env.FOLDSCAN_TEST_RUNS ?? 5) }

const tables = readModels.map(({ table }) => table).filter(({ name }) => name !== 'progress')
const folder = mkdtempSync(join(tmpdir(), 'foldscan-projector-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let volumes = 0

/** Files of one run; closed together when it is over. */
class Files {
  private readonly opened: { close(): Promise<void> }[] = []

  private place(): { folder: string } {
    volumes += 1
    return { folder: join(folder, `${volumes}`) }
  }

  volume = (): StateStore => this.kept(lmdbStateStore(this.place()))
  log = () => this.kept(lmdbEventLog(this.place()))

  async close(): Promise<void> {
    for (const file of this.opened) await file.close()
  }

  private kept<F extends { close(): Promise<void> }>(file: F): F {
    this.opened.push(file)
    return file
  }
}

/** All rows of the engine, resolved by the rule that readers follow. */
async function tablesOf(store: Store) {
  const copy = new MemoryStore(tables)
  for (const { name, allColumns } of tables) {
    const columns = Object.keys(allColumns)
    const rows = await store.query(`SELECT ${columns.join(', ')} FROM ${name}`, {})
    await copy.insert(name, columns, rows)
  }
  return copy.readAll()
}

describe.each([ledger, stateGroup])(
  `group $name on LMDB and the engine (seed ${seed})`,
  (group) => {
    test('is not moved by kills between any two steps, of several instances', async () => {
      const property = fc.asyncProperty(
        scenarios('kills of several instances', 40),
        async (scenario: Scenario) => {
          const { store, drop } = await testStore()
          const files = new Files()
          const world = new World(group, { store, log: files.log(), state: files.volume() })
          const stream = await play(world, scenario, files.volume)
          const calm = await calmLife(group, tables, stream)
          expect(await tablesOf(store)).toEqual(calm.tables)
          await expectAllAnnounced(world, calm)
          await files.close()
          await drop()
        },
      )
      await fc.assert(property, runs)
    })
  },
)
