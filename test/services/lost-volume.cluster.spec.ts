import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { events } from '../../libs/signals/events.ts'
import { groupId, groupNames } from '../../libs/tables/declare/group-versions.ts'
import { foldedTables } from '../../libs/tables/tables/all-tables.ts'
import { cluster, noCluster, type OwnPlace, ownPlace } from '../support/cluster.ts'
import { until } from '../support/until.ts'
import { endAll, freshFolder, mainnet, type Running } from '../up/running.ts'
import { asked, type OwnServices, ownServices, untilReasons } from './own-services.ts'
import { runFoldscan } from './run-foldscan.ts'

const blockFiles = readdirSync(mainnet)
  .filter((name) => name.endsWith('.json.gz'))
  .sort()

const lagForm = z.object({
  blocks: z.looseObject({ position: z.number() }),
  groups: z.array(z.looseObject({ position: z.number() })),
})

const blockFile = join(mainnet, String(blockFiles[0]))

describe.skipIf(noCluster)('a projector whose volume is lost', () => {
  const [place, otherPlace] = [ownPlace(), ownPlace()]
  const [source, copies] = [freshFolder(), freshFolder()]
  let own: OwnServices
  let other: OwnServices
  let projectors: readonly Running[]

  /** Blocks that follow on those before: each takes a message. */
  const publish = async (to: OwnServices, first: number, names: readonly string[]) => {
    for (const name of names) copyFileSync(join(mainnet, name), join(source, name))
    const from = ['--from', `${first + 1}`, '--source', source, '--chain-id', '1']
    const published = await runFoldscan(['repair', ...from], to.environment)
    expect(published, published.stderr).toMatchObject({ code: 0 })
  }
  const start = () =>
    groupNames.map((group) => own.start('projector', { group }, { FOLDSCAN_COPIES: copies }))
  /** They are ready once they have caught up. */
  const folded = async (by: readonly Running[], of: OwnServices) => {
    for (const projector of by) await untilReasons(projector)
    await until('all is folded', async () => {
      const { stdout } = await runFoldscan(
        ['lag', '--json', '--behind-seconds', '10000000000'],
        of.environment,
      )
      const { groups, blocks } = lagForm.parse(JSON.parse(stdout))
      const positions = groups.map(({ position }) => position)
      return positions.length === 2 && positions.every((one) => one === blocks.position)
    })
  }
  const end = async (signal: NodeJS.Signals) => {
    for (const projector of projectors) projector.kill(signal)
    await Promise.all(projectors.map(({ exited }) => exited))
  }
  const tables = ({ database }: OwnPlace) =>
    Promise.all(
      foldedTables.map(async ({ stored }) => {
        const sum = "sum(cityHash64(formatRow('RowBinary', *)))"
        const sql = `SELECT count(), ${sum} FROM ${database}.${stored} FINAL`
        return [stored, await asked(cluster(), sql)]
      }),
    )

  beforeAll(async () => {
    own = ownServices(cluster(), place)
    other = ownServices(cluster(), otherPlace)
    for (const services of [own, other]) {
      expect(await services.run('migrate', { 'chain-id': '1' })).toMatchObject({ code: 0 })
      await services.createTopics()
    }
  })
  afterAll(async () => {
    endAll()
    await Promise.all([own.drop(), other.drop()])
  })

  it('has copied it while it folded', async () => {
    await publish(own, 0, blockFiles.slice(0, 4))
    projectors = start()
    await Promise.all(projectors.map((one) => one.logged(events.volume.copied)))
    await folded(projectors, own)
    for (const projector of projectors) {
      const metrics = await (await fetch(`${await projector.health()}/metrics`)).text()
      const copied = /^foldscan_volume_copy_time_seconds\S* (\S+)$/m.exec(metrics)?.[1]
      expect(Date.now() / 1_000 - Number(copied)).toBeLessThan(300)
    }
    const positions: number[] = []
    for (const group of groupNames) {
      const copy = ['state', 'copy', '--group', group, '--copies', copies, '--json']
      const { stdout } = await runFoldscan(copy, own.environment)
      positions.push(JSON.parse(stdout).position)
    }
    expect(positions.slice(0, 2)).toEqual([4, 4])
    const elsewhere = ['state', 'copy', '--group', 'state', '--copies', blockFile]
    const failed = await runFoldscan(elsewhere, own.environment)
    expect(failed).toMatchObject({ code: 1 })
    expect(failed.stderr).toContain(`The folder ${blockFile} of --copies does not exist`)
    await end('SIGTERM')
  })

  it('starts from the copy, and writes the rows of one that was not lost', async () => {
    await publish(own, 4, blockFiles.slice(4, 10))
    projectors = start()
    await folded(projectors, own)
    await end('SIGKILL')
    for (const group of groupNames) {
      const volume = join(own.environment.FOLDSCAN_DATA_DIR ?? '', `projector-${groupId(group)}`)
      rmSync(volume, { recursive: true })
    }
    projectors = start()
    for (const projector of projectors) {
      const { msg } = await projector.logged(events.volume.restored)
      expect(msg).toMatch(/^the volume was empty: it starts from its copy of .*Z-[04]$/)
    }
    await publish(own, 10, blockFiles.slice(10))
    await folded(projectors, own)
    await publish(other, 0, [])
    await folded(
      groupNames.map((group) => other.start('projector', { group })),
      other,
    )
    expect(await tables(place)).toEqual(await tables(otherPlace))
  })
})
