import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import type { Store } from '../../libs/ports/store.ts'
import { memoryEventLog } from '../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import { ledger } from '../../libs/projections/ledger/ledger.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { conflicts } from '../../libs/queries/reading/versions.ts'
import { foldedTables } from '../../libs/tables/tables/all-tables.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { calmLife, expectAllAnnounced } from '../../services/projector/testing/expectations.ts'
import { play, type Scenario, scenarios } from '../../services/projector/testing/scenarios.ts'
import { type Stream, streamOf } from '../../services/projector/testing/stream.ts'
import { World } from '../../services/projector/testing/world.ts'
import { walked } from '../queries/histories.ts'
import { random } from '../queries/random.ts'
import { testStore } from '../support/engine.ts'
import { testSeed } from '../support/seed.ts'
import { allRead, answeredIn, type ReadList } from './all-read.ts'
import { subjectsOfStream } from './subjects-of-stream.ts'
import { tablesOfStore } from './tables-of-store.ts'

const seed = testSeed
const runs = { seed, numRuns: Number(process.env.FOLDSCAN_TEST_RUNS ?? 5) }

const folder = mkdtempSync(join(tmpdir(), 'foldscan-projector-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
/** Some hundred questions a stream, and the machine may be busy with other things. */
const timeoutMs = 240_000
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

/** One life that nothing disturbs, on a store of its own. */
async function liveCalmly(group: BlocksGroup, store: Store, { canonical }: Stream) {
  const world = new World(group, { store, eventLog: memoryEventLog(), state: memoryStateStore() })
  await world.hear(canonical.map(encodeMessage))
  await world.live(canonical.length)
}

/** Whatever the random streams leave out: each list has something in it, and something left it. */
const eventful: Scenario = {
  events: [
    { kind: 'apply', senders: [1, 2, 3, 1] },
    { kind: 'observe', age: 0, holders: [1, 2, 3] },
    { kind: 'apply', senders: [1, 2] },
    { kind: 'apply', senders: [4, 5, 6] },
    { kind: 'revert', depth: 2 },
    { kind: 'redeliver', back: 3 },
    { kind: 'apply', senders: [2, 2] },
  ],
  lives: [1, 5, 9, 13].map((killedAtStep) => ({
    limits: { flushMessagesMax: 1 },
    killedAtStep,
    stepTurns: 1,
    killedAtInsert: undefined,
    instance: killedAtStep % 2,
    isLost: false,
    insertsLost: 0,
  })),
  limits: { flushMessagesMax: 2 },
  again: 3,
}

const conflicting: unknown[] = []
const noteConflict = (conflict: unknown) => conflicting.push(conflict)
beforeAll(() => conflicts.subscribe(noteConflict))
afterAll(() => conflicts.unsubscribe(noteConflict))

const readAtOnce: ReadList = (page) => page(null, 1_000)

test(
  `what queries read, on LMDB and the engine, is not moved by kills between any two steps, of several instances (seed ${seed})`,
  async () => {
    const asked = new Set<string>()
    const answered = new Set<string>()
    const property = fc.asyncProperty(
      scenarios('kills of several instances', 40),
      async (scenario: Scenario) => {
        conflicting.length = 0
        const [troubled, calm] = [await testStore(), await testStore()]
        const files = new Files()
        let stream: Stream = streamOf([])
        for (const group of [ledger, stateGroup]) {
          const ports = { store: troubled.store, eventLog: files.log(), state: files.volume() }
          const world = new World<Store>(group, ports)
          stream = await play(world, scenario, files.volume)
          const own = foldedTables.filter((table) => table.group === group.name)
          const expected = await calmLife(group, own, stream)
          expect(await tablesOfStore(troubled.store, own)).toEqual(expected.tables)
          await expectAllAnnounced(world, expected)
          await liveCalmly(group, calm.store, stream)
        }
        const walks = random(seed)
        const subjects = subjectsOfStream(stream, walks)
        const expected = await allRead({ store: calm.store, subjects, list: readAtOnce })
        const list: ReadList = (page) => walked(walks, page)
        expect(await allRead({ store: troubled.store, subjects, list })).toEqual(expected)
        expect(conflicting).toEqual([])
        for (const kind of Object.keys(expected)) asked.add(kind)
        for (const kind of answeredIn(expected)) answered.add(kind)
        await files.close()
        await Promise.all([troubled.drop(), calm.drop()])
      },
    )
    await fc.assert(property, { ...runs, examples: [[eventful]] })
    expect(asked.size).toBeGreaterThan(30)
    expect([...asked].filter((kind) => !answered.has(kind))).toEqual([])
  },
  timeoutMs,
)
