import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { foldedTables } from '../../libs/tables/tables/all-tables.ts'
import { cluster, noCluster, type OwnPlace, ownPlace } from '../support/cluster.ts'
import { until } from '../support/until.ts'
import { endAll, freshFolder, mainnet } from '../up/running.ts'
import { asked, type OwnServices, ownServices } from './own-services.ts'
import { runFoldscan } from './run-foldscan.ts'

const fewBlocks = [17_686_110, 17_686_111]
const lagForm = z.object({ groups: z.array(z.looseObject({ position: z.number() })) })

describe.skipIf(noCluster)('a log that was exported from Kafka and imported', () => {
  const deployments: OwnServices[] = []
  const exported = join(freshFolder(), 'export')

  afterAll(async () => {
    endAll()
    await Promise.all(deployments.map((own) => own.drop()))
  })

  const foldscan = async (own: OwnServices, ...words: readonly string[]) => {
    const ended = await runFoldscan(words, own.environment)
    expect(ended, ended.stderr).toMatchObject({ code: 0 })
    return ended.stdout
  }

  /** Of each table that topic `blocks` folds into, its rows and a sum over all their bytes. */
  async function tablesOf(own: OwnServices, { database }: OwnPlace, position: number) {
    await foldscan(own, 'migrate', '--chain-id', '1')
    for (const group of ['ledger', 'state']) own.start('projector', { group })
    await until('all is folded', async () => {
      const { groups } = lagForm.parse(
        JSON.parse((await runFoldscan(['lag', '--json'], own.environment)).stdout),
      )
      return groups.length > 1 && groups.every((group) => group.position === position)
    })
    const tables = foldedTables.filter(({ source }) => source === 'blocks')
    const sums = tables.map(({ stored }) =>
      asked(
        cluster(),
        `SELECT count(), sum(cityHash64(formatRow('RowBinary', *))) FROM ${database}.${stored} FINAL`,
      ),
    )
    return Promise.all(sums)
  }

  it('gives equal tables', async () => {
    const [first, second] = [ownPlace(), ownPlace()]
    const [own, restored] = [ownServices(cluster(), first), ownServices(cluster(), second)]
    deployments.push(own, restored)
    await Promise.all([own.createTopics(), restored.createTopics()])
    const blocks = join(freshFolder(), 'blocks')
    mkdirSync(blocks)
    for (const number of fewBlocks) {
      copyFileSync(join(mainnet, `${number}.json.gz`), join(blocks, `${number}.json.gz`))
    }
    const named = ['--chain-id', '1']
    const published = await foldscan(own, 'repair', '--from', '1', '--source', blocks, ...named)
    const to = Number(/messages 1 to (\d+)/.exec(published)?.[1])
    expect(await foldscan(own, 'log', 'export', exported)).toContain(
      `positions 1 to ${to} of chain 1, up to block ${fewBlocks.at(-1)} in a file`,
    )
    const into = ['log', 'import', exported, ...named]
    expect(await foldscan(restored, ...into)).toContain(`published ${to} messages`)
    expect(await foldscan(restored, ...into)).toContain(`the topic had ${to} before`)
    expect(await tablesOf(restored, second, to)).toEqual(await tablesOf(own, first, to))
  })
})
