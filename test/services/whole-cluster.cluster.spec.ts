import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import { events } from '../../libs/signals/events.ts'
import { transfersByToken } from '../../libs/tables/tables/transfers.ts'
import { subjectsOf } from '../../services/api/examples/subjects.ts'
import { startDemoChain } from '../../services/demo-chain/demo-chain.ts'
import type { DemoChain } from '../../services/demo-chain/demo-chain-port.ts'
import { cluster, noCluster, ownPlace } from '../support/cluster.ts'
import { until } from '../support/until.ts'
import { endAll, freshFolder, type Running, startUp } from '../up/running.ts'
import { alike } from './alike.ts'
import { asked, type OwnServices, ownServices } from './own-services.ts'
import { type Question, questionsOf } from './questions.ts'

const seed = 11
const place = ownPlace()
const quiet = { info: () => {}, error: () => {} }
/** On a machine that is busy with other things. */
const arrivalMaxMs = 90_000
const subjectsEach = 3

describe.skipIf(noCluster)('a whole cluster beside the embedded form, on one chain', () => {
  let chain: DemoChain
  let own: OwnServices
  let up: Running
  let apis: readonly [Running, Running]
  let projectors: Running[]
  let late: Running
  const folders = [freshFolder(), freshFolder()] as const

  beforeAll(async () => {
    own = ownServices(cluster(), place)
    const [made] = await Promise.all([
      startDemoChain({
        seed,
        backlogTransactions: 700,
        genesisTime: 1_700_000_000,
        blockIntervalMs: null,
        log: quiet,
      }),
      own.createTopics(),
      expect(own.run('migrate', { 'chain-id': '31337' })).resolves.toMatchObject({ code: 0 }),
    ])
    chain = made
    up = startUp({ source: chain.url, 'data-dir': folders[0] })
    own.start('ingestor', { source: chain.url })
    projectors = ['ledger', 'state', 'dimensions'].map((group) => own.start('projector', { group }))
    apis = [own.start('api'), own.start('api')]
  })
  afterAll(async () => {
    endAll()
    await chain?.stop()
    await own?.drop()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  const everybody = () => [up, ...apis]

  let minutes = 0

  /** Some pages show figures of a step of chain time ago: at the first block of a step, all new. */
  async function mineLater(): Promise<void> {
    minutes += 1
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + minutes * 60_000)
    await chain.mine()
    clock.mockRestore()
  }

  async function arrived(head: number): Promise<void> {
    for (const service of everybody()) {
      await until(
        `block ${head} is indexed`,
        async () => (await service.get(nobody)).headers.get('x-indexed-block') === `${head}`,
        arrivalMaxMs,
      )
    }
  }

  async function questions(): Promise<Question[]> {
    const source = await rpcSource({ url: chain.url })
    const numbers = Array.from({ length: chain.head().number }, (_, at) => at + 1)
    const blocks = await Promise.all(numbers.map((number) => source.block(number)))
    await source.close()
    return questionsOf(await subjectsOf(blocks.flatMap((block) => block ?? [])), subjectsEach)
  }

  async function answersOf(services: readonly Running[]) {
    const origins = await Promise.all(services.map((service) => service.origin()))
    return alike(origins, await questions())
  }

  async function expectAlike(): Promise<void> {
    await arrived(chain.head().number)
    const seen = await answersOf(everybody())
    expect(seen.differences, `demo chain of seed ${seed}`).toEqual([])
    expect(seen.answers).toBeGreaterThan(200)
    expect(seen.laterPages).toBeGreaterThan(80)
  }

  it('answers all ten endpoints byte for byte as that one does', async () => {
    // The embedded form asks for its examples up to two blocks below the head of the chain.
    await mineLater()
    await expectAlike()
  })

  it('still does so after a reorganisation, beside a late projector of its own group', async () => {
    const flags = { group: 'state', 'data-dir': folders[1] }
    const group = { FOLDSCAN_KAFKA_GROUP_PREFIX: `${place.topicPrefix}late` }
    late = own.start('projector', flags, group)
    await late.logged(events.projector.started)
    await chain.reorganise(4)
    await mineLater()
    await expectAlike()
    await folded(late, chain.head().number)
  })

  it('goes on with the late one alone', async () => {
    const [, state] = projectors
    state?.kill('SIGKILL')
    await state?.exited
    await mineLater()
    await expectAlike()
  })

  it('shows it where a single row was changed by hand', async () => {
    // A column that is not packed.
    const change = 'UPDATE transactionHash = reverse(transactionHash) WHERE logIndex = 0'
    await asked(
      cluster(),
      `ALTER TABLE ${place.database}.${transfersByToken.stored} ${change} SETTINGS mutations_sync = 1`,
    )
    // With pages of its own: those that others keep are not read again.
    const other = own.start('api', {}, { FOLDSCAN_REDIS_PREFIX: `${place.redisPrefix}other:` })
    await other.logged(events.service.running)
    const { differences } = await answersOf([up, other])
    expect(differences.length).toBeGreaterThan(0)
    const elsewhere = differences.filter((one) => !/tokens\/\w+\/transfers/.test(one))
    expect(elsewhere).toEqual([])
  })
})

const nobody = `/api/v2/addresses/0x${'1'.repeat(40)}/token-balances`

/** It has folded up to there: a late one is not seen from outside. */
const folded = (projector: Running, block: number): Promise<void> =>
  until(
    `the late projector has folded block ${block}`,
    async () => {
      const text = await (await fetch(`${await projector.health()}/metrics`)).text()
      return text.includes(`foldscan_indexed_block{group="state"} ${block}`)
    },
    arrivalMaxMs,
  )
