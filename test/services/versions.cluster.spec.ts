import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { folderSource } from '../../libs/adapters/folder/folder-source.ts'
import {
  groupIdOf,
  groupNames,
  groupVersions,
  tableNameOf,
} from '../../libs/tables/declare/group-versions.ts'
import { foldedTables } from '../../libs/tables/tables/all-tables.ts'
import { subjectsOf } from '../../services/api/examples/subjects.ts'
import { random } from '../queries/random.ts'
import { cluster, noCluster, ownPlace } from '../support/cluster.ts'
import { releaseOf } from '../support/compiled-services.ts'
import { consecutiveBlocks } from '../support/mainnet-block.ts'
import { mainnetFolder } from '../support/mainnet-truth.ts'
import { testSeed } from '../support/seed.ts'
import { until } from '../support/until.ts'
import { endAll, mainnet, type Running } from '../up/running.ts'
import { alike } from './alike.ts'
import { asked, type OwnServices, ownServices, reasonsOf, untilReasons } from './own-services.ts'
import { type Question, questionsOf } from './questions.ts'
import { runFoldscan } from './run-foldscan.ts'

/** A release whose versions are all raised is rolled out beside this one, on the same servers. */

const next = {
  ledger: groupVersions.ledger + 1,
  state: groupVersions.state + 1,
  dimensions: groupVersions.dimensions + 1,
}
const lastBlock = '17686121'
const subjectsEach = 3
/** While the next release folds. */
const killsMin = 20
const lifeMsMax = 900

const comparedForm = z.looseObject({
  table: z.string(),
  rows: z.tuple([z.number(), z.number()]),
})

describe.skipIf(noCluster)(`a release with other versions (seed ${testSeed})`, () => {
  const place = ownPlace()
  let own: OwnServices
  let release: Record<string, string>
  let api: Running
  let projectors: readonly Running[]
  let nextApi: Running
  let questions: readonly Question[]
  let isAsking = true
  let asking: Promise<void> = Promise.resolve()
  const wrong: string[] = []
  const seen = { own: 0, next: 0 }

  /** Pages of either release, as long as it says that it is ready: those of before the roll-out. */
  async function ask(bodies: ReadonlyMap<string, string>): Promise<void> {
    while (isAsking) {
      for (const [name, service] of [
        ['own', api],
        ['next', nextApi],
      ] as const) {
        if (service === undefined || (await reasonsOf(service)).length > 0) continue
        for (const [path, body] of bodies) {
          const response = await fetch((await service.origin()) + path)
          const found = await response.text()
          // Ready a few blocks before the end: such a page is of its own block.
          if (response.headers.get('x-indexed-block') !== lastBlock) continue
          if (response.status !== 200 || found !== body) wrong.push(`${name} ${path}: ${found}`)
          else seen[name] += 1
        }
      }
      await pause(5)
    }
  }

  const untilLast = (service: Running) =>
    until('the last block is indexed', async () => {
      const { headers } = await service.get(questions[0]?.path ?? '')
      return headers.get('x-indexed-block') === lastBlock
    })
  const versions = async () => {
    const environment = { ...own.environment, ...release }
    const { stdout } = await runFoldscan(['versions', '--json'], environment)
    return JSON.parse(stdout).versions
  }
  const tables = async () => {
    const sql = `SELECT name FROM system.tables WHERE database = '${place.database}' ORDER BY name`
    return (await asked(cluster(), sql)).trim().split('\n')
  }

  beforeAll(async () => {
    own = ownServices(cluster(), place)
    release = releaseOf(next)
    expect(await own.run('migrate', { 'chain-id': '1' })).toMatchObject({ code: 0 })
    await own.createTopics()
    own.start('ingestor', { source: mainnet })
    projectors = groupNames.map((group) => own.start('projector', { group }))
    api = own.start('api')
    await untilReasons(api)
    const source = await folderSource({ folder: mainnetFolder })
    const blocks = await Promise.all(consecutiveBlocks.map((number) => source.block(number)))
    await source.close()
    questions = questionsOf(await subjectsOf(blocks.flatMap((block) => block ?? [])), subjectsEach)
    await untilLast(api)
  })
  afterAll(async () => {
    isAsking = false
    await asking
    endAll()
    await own.drop()
  })

  it('makes tables of its own, and is not ready before they have what the others have', async () => {
    const before = await tables()
    const migrated = await own.start('migrate', {}, release).exited
    expect(migrated).toMatchObject({ code: 0 })
    const made = (await tables()).filter((name) => !before.includes(name))
    const named = foldedTables.map(({ name, group }) => tableNameOf(name, group, next[group]))
    expect(made.filter((name) => !name.startsWith('readable_'))).toEqual(named.toSorted())
    const paths = questions.slice(0, 40).map(({ path }) => path)
    const bodies = new Map<string, string>()
    for (const path of paths) {
      const response = await fetch((await api.origin()) + path)
      if (response.status === 200) bodies.set(path, await response.text())
    }
    expect(bodies.size).toBeGreaterThan(10)
    nextApi = own.start('api', {}, release)
    await untilReasons(nextApi, ['version-behind'])
    asking = ask(bodies)
  })

  it('folds beside it, however often its projectors are killed, and goes back half way', async () => {
    const chosen = random(testSeed)
    const kill = async (times: number) => {
      for (let kills = 0; kills < times; kills++) {
        const projector = own.start('projector', { group: chosen.oneOf(groupNames) }, release)
        await pause(chosen.below(lifeMsMax))
        projector.kill('SIGKILL')
        await projector.exited
      }
    }
    await kill(killsMin / 2)
    // Rolled back: the other release starts again, and is ready at once.
    const again = own.start('api')
    await untilReasons(again)
    again.kill('SIGTERM')
    await again.exited
    await kill(killsMin / 2)
    for (const group of groupNames) own.start('projector', { group }, release)
    await untilReasons(nextApi)
    await untilLast(nextApi)
  }, 300_000)

  it('then gives the same answers, byte for byte', async () => {
    const origins = [await api.origin(), await nextApi.origin()]
    const { differences, answers, laterPages } = await alike(origins, questions)
    expect(differences).toEqual([])
    expect(answers).toBeGreaterThan(questions.length)
    expect(laterPages).toBeGreaterThan(10)
    expect(wrong).toEqual([])
    await until('both were asked meanwhile', () => seen.own > 0 && seen.next > 0)
  }, 300_000)

  it('is listed beside the other one', async () => {
    const [ledger, before] = await versions()
    const position = ledger.position
    expect(ledger).toMatchObject({ group: 'ledger', version: next.ledger, isOwn: true, behind: 0 })
    expect(before).toMatchObject({
      version: groupVersions.ledger,
      isOwn: false,
      behind: 0,
      position,
    })
    expect(ledger.bytes).toBeGreaterThan(100_000)
    expect(before.bytes).toBeGreaterThan(100_000)
  })

  it('has the same rows, by counts and by those of some subjects', async () => {
    const environment = { ...own.environment, ...release }
    for (const group of groupNames) {
      const versions = `${groupVersions[group]},${next[group]}`
      const words = ['verify', '--group', group, '--versions', versions, '--json']
      const { code, stdout, stderr } = await runFoldscan(words, environment)
      expect(stderr).toBe('')
      const { tables } = z.object({ tables: z.array(comparedForm) }).parse(JSON.parse(stdout))
      const names = foldedTables.flatMap((table) => (table.group === group ? table.name : []))
      expect(tables.map(({ table }) => table)).toEqual(names)
      expect([code, tables.filter(({ rows: [one, other] }) => one !== other)]).toEqual([0, []])
      if (group === 'ledger') for (const { rows } of tables) expect(rows[0]).toBeGreaterThan(1_000)
    }
  })

  it('compares no version that is not there', async () => {
    const words = ['verify', '--group', 'state', '--versions', '41,42']
    const ended = await runFoldscan(words, { ...own.environment, ...release })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toContain('There are no tables of version 41 of state')
  })

  it('drops the other one, and never its own', async () => {
    isAsking = false
    await asking
    expect(wrong).toEqual([])
    const isAway = async (name: string) => !(await tables()).includes(name)
    const refused = await own.start('drop', { group: 'state', version: `${next.state}` }, release)
      .exited
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.reason).toContain(`Version ${next.state} of state is that of this release.`)
    const used = { group: 'state', version: `${groupVersions.state}` }
    const living = await own.start('drop', used, release).exited
    expect(living.reason).toContain(`A projector folds ${groupIdOf('state', groupVersions.state)}`)
    for (const one of [...projectors, api]) one.kill('SIGTERM')
    for (const one of [...projectors, api]) expect(await one.exited).toMatchObject({ code: 0 })
    for (const group of groupNames) {
      const version = groupVersions[group]
      const { code, reason } = await own.start('drop', { group, version: `${version}` }, release)
        .exited
      expect([code, reason]).toEqual([0, ''])
      for (const table of foldedTables.filter((one) => one.group === group)) {
        expect(await isAway(tableNameOf(table.name, group, version)), table.name).toBe(true)
      }
      const id = groupIdOf(group, version)
      const left = `SELECT count() FROM ${place.database}.progress FINAL WHERE group = '${id}'`
      expect((await asked(cluster(), left)).trim()).toBe('0')
    }
    expect(await reasonsOf(nextApi)).toEqual([])
    const again = own.start('api', {}, release)
    await untilReasons(again)
    const origins = [await nextApi.origin(), await again.origin()]
    expect((await alike(origins, questions)).differences).toEqual([])
  }, 120_000)
})
