import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import type { Stack } from '../../deploy/stack/stack.ts'
import type { KafkaEventLog } from '../../libs/adapters/kafka/kafka-event-log.ts'
import { events } from '../../libs/signals/events.ts'
import { chainId as plannedChainId, startChainNode } from '../faults/chain-node.ts'
import { chainPlan } from '../faults/chain-plan.ts'
import { addressesOf } from '../faults/servers.ts'
import { random } from '../queries/random.ts'
import { type OwnServices, ownServices, untilReasons } from '../services/own-services.ts'
import { type SteadyAsks, steadyAsks } from '../services/steady-asks.ts'
import { noCluster, ownPlace } from '../support/cluster.ts'
import { logAt } from '../support/kafka-for-tests.ts'
import { isWhole } from '../support/run-length.ts'
import { startTestStack } from '../support/test-stack.ts'
import { testedBinary } from '../support/tested-binary.ts'
import { until } from '../support/until.ts'
import { endAll, type Running } from '../up/running.ts'
import { PrometheusServer } from './prometheus-server.ts'
import { refusingNode } from './refusing-node.ts'
import { shortRules } from './short-rules.ts'

const rules = shortRules({
  outdatedSeconds: 6,
  errorRatio: 0.001,
  slowSeconds: 1,
  groupBehindSeconds: 3,
  groupBehindMessages: 50,
  ingestorBehindBlocks: 5,
  restarts: 1,
  replicaBehindPerSecond: 1,
  // A disk that others use, too.
  volumeFullDays: 0.1,
  volumeCopyHours: 24,
  partsMax: 500,
})
const form = z.object({
  groups: z.tuple([
    z.object({
      rules: z.array(
        z.object({ alert: z.string(), annotations: z.object({ runbook_url: z.string() }) }),
      ),
    }),
  ]),
})
const pages = new Map(
  form
    .parse(parse(rules))
    .groups[0].rules.map(({ alert, annotations }) => [alert, annotations.runbook_url]),
)

const chain = { 'chain-id': '31337' }
const boundMs = 90_000

const binary = isWhole ? await testedBinary('prometheus') : null

/** Servers of its own: they are hurt. Each alert is caused, seen, cured, and gone. */
describe.skipIf(noCluster || binary === null)('the alerts on a local stack', () => {
  if (binary === null) return
  const prometheus = new PrometheusServer(binary)
  const running = new Map<string, Running>()
  const table: string[] = []
  let stack: Stack
  let own: OwnServices
  let eventLog: KafkaEventLog
  let asks: SteadyAsks
  let colds = 0

  async function start(name: string, begin: () => Running): Promise<void> {
    running.set(name, begin())
    const targets = [...running].map(async ([target, service]) => {
      return { name: target, address: new URL(await service.health()).host }
    })
    prometheus.scrape(await Promise.all(targets))
  }

  async function end(name: string): Promise<void> {
    const service = running.get(name)
    service?.kill('SIGKILL')
    await service?.exited
  }

  const startIngestor = () => start('ingestor', () => own.start('ingestor', { source: 'demo' }))

  const firing = async (alert: string) =>
    prometheus.series(`ALERTS{alertname="${alert}",alertstate="firing"}`)

  /** Causes alerts, sees them fire, cures them, and sees them gone. */
  async function fires(
    alerts: readonly string[],
    how: { cause: string; act: () => Promise<void>; cure: () => Promise<void> },
  ): Promise<void> {
    await how.act()
    const seen: string[] = []
    for (const alert of alerts) {
      await until(`${alert} fires`, async () => (await firing(alert)).length > 0, boundMs)
      seen.push(new Date().toISOString().slice(11, 19))
    }
    await how.cure()
    for (const [at, alert] of alerts.entries()) {
      await until(`${alert} is over`, async () => (await firing(alert)).length === 0, boundMs)
      const over = new Date().toISOString().slice(11, 19)
      const row = [alert, how.cause, seen[at], adviceOf(alert), over]
      table.push(`| ${row.join(' | ')} |`)
    }
  }

  beforeAll(async () => {
    const found = await startTestStack()
    if (found.form === 'none') throw new Error(found.reason)
    stack = found.stack
    const place = ownPlace()
    own = ownServices(addressesOf(stack), place)
    eventLog = logAt(stack.kafka.address.brokers, { topicPrefix: place.topicPrefix })
    await prometheus.start(rules)
    expect(await own.run('migrate', chain)).toMatchObject({ code: 0 })
    await own.createTopics()
    await startIngestor()
    for (const group of ['ledger', 'state', 'dimensions']) {
      await start(group, () => own.start('projector', { group }))
    }
    await start('api', () => own.start('api'))
    for (const service of running.values()) await untilReasons(service)
    const api = running.get('api')
    if (api === undefined) throw new Error('the api was not started')
    // Pages that no cache has.
    const cold = () => `/api/v2/addresses/0xc${(++colds).toString(16).padStart(39, '0')}/logs`
    asks = steadyAsks(api, 100, cold)
  })

  afterAll(async () => {
    const head = '| alert | cause | fired | runbook | over |\n|---|---|---|---|---|'
    process.stdout.write(`\n${head}\n${table.join('\n')}\n`)
    await asks?.stop().catch(() => {})
    endAll()
    await prometheus.stop()
    await eventLog?.close()
    await own?.drop().catch(() => {})
    await stack?.stop()
  })

  it('are silent while all is well', async () => {
    await until('no alert fires', async () => {
      return (await prometheus.series('ALERTS{alertstate="firing"}')).length === 0
    })
  })

  it('measure each stage of a new block', async () => {
    const stages = async () => {
      const found = await prometheus.series('foldscan_block_stage_seconds_count > 0')
      return [...new Set(found.map(({ stage }) => stage))].sort()
    }
    const all = ['announced', 'published', 'stored', 'visible']
    await until('all stages', async () => (await stages()).join() === all.join())
  })

  it('an ingestor that ends', async () => {
    await fires(['FoldscanResponsesOutdated', 'FoldscanProcessGone'], {
      cause: 'the ingestor is killed',
      act: () => end('ingestor'),
      cure: startIngestor,
    })
  })

  it('an ingestor that ends again and again', async () => {
    const again = async () => {
      await end('ingestor')
      await startIngestor()
      await until('it is scraped', async () => {
        return (await prometheus.series('foldscan_published_position')).length > 0
      })
    }
    await fires(['FoldscanCrashLoop'], {
      cause: 'the ingestor is killed and started three times',
      act: async () => {
        for (let times = 0; times < 3; times++) await again()
      },
      cure: async () => {},
    })
  })

  it('a message on topic blocks that is none', async () => {
    await end('ingestor')
    await fires(['FoldscanGroupStuck'], {
      cause: 'bytes that are no message are appended to topic blocks',
      act: async () => {
        await eventLog.append('blocks', [{ key: '31337', value: Buffer.from('garbage') }])
      },
      cure: startIngestor,
    })
  })

  it('a ClickHouse that does not answer', async () => {
    const alerts = ['ClickHouseUnavailable', 'GroupBehind', 'ServerErrors', 'ResponsesSlow']
    await fires(
      alerts.map((alert) => `Foldscan${alert}`),
      {
        cause: 'the process of ClickHouse is stopped (SIGSTOP)',
        act: () => stack.clickhouse.pause(),
        cure: () => stack.clickhouse.resume(),
      },
    )
  })

  it('a Redis that ends', async () => {
    await fires(['FoldscanRedisUnavailable'], {
      cause: 'Redis is killed',
      act: () => stack.redis.kill(),
      cure: () => stack.redis.restart(),
    })
  })

  it('a fact that cannot be folded', async () => {
    await fires(['FoldscanDeadLetters'], {
      cause: 'a fact that no schema takes is appended to token-facts',
      act: async () => {
        await eventLog.append('token-facts', [{ key: 'x', value: Buffer.from('{}') }])
      },
      cure: async () => {},
    })
  })

  it('a volume that fills', async () => {
    const file = join(own.environment.FOLDSCAN_DATA_DIR ?? '', 'filler')
    const megabytes = Buffer.alloc(16 * 1024 * 1024, 1)
    let isFilling = true
    const fill = async () => {
      for (let times = 0; isFilling && times < 100; times++) {
        writeFileSync(file, megabytes, { flag: 'a' })
        await until('it is scraped again', scrapedAgain(prometheus))
      }
    }
    let filling = Promise.resolve()
    await fires(['FoldscanVolumeFills'], {
      cause: '16 MiB are written to the volume with each scrape',
      act: async () => {
        filling = fill()
      },
      cure: async () => {
        isFilling = false
        await filling
        rmSync(file)
      },
    })
  })

  it('a folder for copies that cannot be written', async () => {
    const copies = join(own.environment.FOLDSCAN_DATA_DIR ?? '', 'copies')
    await fires(['FoldscanVolumeCopyOld'], {
      cause: 'a file lies where the copies belong',
      act: async () => {
        await end('dimensions')
        const copying = { FOLDSCAN_COPIES: copies }
        mkdirSync(copies)
        await start('dimensions', () => own.start('projector', { group: 'dimensions' }, copying))
        await running.get('dimensions')?.logged(events.volume.copied)
        rmSync(copies, { recursive: true })
        writeFileSync(copies, 'no folder')
      },
      cure: async () => {
        rmSync(copies)
        mkdirSync(copies)
        await end('dimensions')
        const copying = { FOLDSCAN_COPIES: copies }
        await start('dimensions', () => own.start('projector', { group: 'dimensions' }, copying))
      },
    })
  })

  it('a node that goes on, without the receipts of its blocks', async () => {
    const node = await startChainNode(chainPlan(random(1), 40))
    const other = ownServices(addressesOf(stack), ownPlace())
    const proxy = await refusingNode(node.url)
    try {
      await other.createTopics()
      await end('ingestor')
      await start('ingestor', () =>
        other.start('ingestor', { source: proxy.url, 'chain-id': `${plannedChainId}` }),
      )
      await until('it is at the head', async () => {
        const found = await prometheus.series('foldscan_published_block == foldscan_source_block')
        return found.length > 0
      })
      await fires(['FoldscanIngestorBehind'], {
        cause: 'the node refuses receipts and mines on',
        act: async () => {
          proxy.isRefusing = true
          node.toLast()
        },
        cure: async () => {
          proxy.isRefusing = false
        },
      })
    } finally {
      await end('ingestor')
      await proxy.close()
      await node.close()
      await other.drop()
    }
  })

  it('leaves only what this stack cannot cause', () => {
    const seen = table.map((row) => row.split(' ')[1] ?? '')
    expect([...pages.keys()].filter((alert) => !seen.includes(alert))).toEqual([
      // It needs replicas.
      'FoldscanReplicaBehind',
      // `test/up/audit-job.spec.ts` falsifies rows.
      'FoldscanAuditDiffers',
      // An hour must pass.
      'FoldscanPricesOld',
      // Their series are of exporters that Kafka and ClickHouse have elsewhere.
      'FoldscanKafkaUnderReplicated',
      'FoldscanClickHouseParts',
    ])
  })
})

/** The first sentence or step of what its page says to do. */
function adviceOf(alert: string): string {
  const path = pages.get(alert) ?? ''
  const page = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const [, advice = ''] = /\*\*What to do\.\*\*\s+(?:1\. )?([\s\S]+?[.:])(?:\s|$)/.exec(page) ?? []
  return `${path}: ${advice.replace(/\s+/g, ' ')}`
}

/** True once there was another scrape since this was made. */
function scrapedAgain(prometheus: PrometheusServer): () => Promise<boolean> {
  const since = Date.now() / 1_000
  return async () => {
    const found = await prometheus.series(`timestamp(foldscan_volume_available_bytes) > ${since}`)
    return found.length > 0
  }
}
