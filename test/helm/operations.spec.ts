import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { z } from 'zod'
import { clickhouseDefaults } from '../../libs/adapters/clickhouse/clickhouse-options.ts'
import { projectorOf } from '../support/projector-of.ts'
import { chart, describeWithHelm, podsOf, rendered, valueFiles } from './rendered.ts'

const policyForm = z.looseObject({
  ingress: z.array(z.looseObject({ from: z.array(z.unknown()).optional() })).default([]),
  egress: z.array(
    z.looseObject({
      ports: z.array(z.looseObject({ port: z.unknown() })),
      to: z.unknown().optional(),
    }),
  ),
})

describeWithHelm('what operators set in the chart', (tools) => {
  const specOf = (kind: string, name: string, values: unknown) => {
    const { objects, stderr } = rendered(tools, { values })
    expect(stderr).toBe('')
    return objects.find((one) => one.kind === kind && one.metadata.name === name)?.spec
  }

  it('bounds what all processes of the api ask ClickHouse at once', () => {
    const most = (api: object) => rendered(tools, { values: { api } }).stderr
    const each = clickhouseDefaults.maxConnections
    // Ten pods, and three more during an upgrade.
    const api = { replicas: 10, clickhouseQueriesMax: 13 * each }
    expect(most(api)).toBe('')
    expect(most({ ...api, clickhouseQueriesMax: 13 * each - 1 })).toContain(
      `10 pods of the api (13 during an upgrade) ask ClickHouse ${13 * each} queries`,
    )
    const autoscaling = { enabled: true, maxReplicas: 11 }
    expect(most({ ...api, autoscaling })).toContain('11 pods of the api (14 during an upgrade)')
  })

  it('scales on page loads beside the processor where an adapter has them', () => {
    const scaled = (targetPageLoads: number) =>
      specOf('HorizontalPodAutoscaler', 'mainnet-foldscan-api', {
        api: { autoscaling: { enabled: true, targetPageLoads } },
      })
    const cpu = { type: 'Resource', resource: { name: 'cpu' } }
    expect(scaled(0)).toMatchObject({ metrics: [cpu] })
    const metric = { name: 'foldscan_page_loads' }
    const target = { type: 'AverageValue', averageValue: '12' }
    expect(scaled(12)).toMatchObject({ metrics: [cpu, { type: 'Pods', pods: { metric, target } }] })
  })

  it('has further objects, whose texts are templates', () => {
    const metadata = { name: '{{ .Release.Name }}-more' }
    const values = { extraObjects: [{ apiVersion: 'v1', kind: 'Secret', metadata }] }
    expect(rendered(tools, { values }).objects).toContainEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'mainnet-more' },
    })
  })

  it('lets pods reach each server where its peers are, and no other server there', () => {
    const [kafka, clickhouse, redis, source] = ['kafka', 'clickhouse', 'redis', 'node'].map(
      (name) => [{ podSelector: { matchLabels: { app: name } } }],
    )
    const peers = { kafkaTo: kafka, clickhouseTo: clickhouse, redisTo: redis, sourceTo: source }
    const networkPolicy = { ...peers, redisPorts: [6379] }
    const egressOf = (component: string) =>
      policyForm
        .parse(specOf('NetworkPolicy', `mainnet-foldscan-${component}`, { networkPolicy }))
        .egress.slice(1)
        .map(({ ports, to }) => [ports.map(({ port }) => port), to])
    const toServers = [
      [[9092], kafka],
      [[8123], clickhouse],
      [[6379], redis],
    ]
    expect(egressOf('api')).toEqual(toServers)
    expect(egressOf(projectorOf('state'))).toEqual(toServers)
    expect(egressOf('ingestor')).toEqual([
      [[9092], kafka],
      [[8123], clickhouse],
      [[80, 443, 8545, 8546], source],
    ])
    expect(egressOf('test-topics')).toEqual([[[9092], kafka]])
  })

  it('lets a service reach its own node', () => {
    const own = (source: string) => ({ settings: { source } })
    const values = {
      ingestor: own('https://node.example:8443'),
      enricher: { enabled: true, ...own('http://geth:8545') },
    }
    const portsOf = (component: string) =>
      policyForm
        .parse(specOf('NetworkPolicy', `mainnet-foldscan-${component}`, values))
        .egress.map(({ ports }) => ports.map(({ port }) => port))
    expect(portsOf('ingestor').at(-1)).toEqual([8443])
    expect(portsOf('enricher').slice(-2)).toEqual([[8545], [80, 443]])
    const { objects } = rendered(tools, { values })
    const ofNode = objects.flatMap(({ kind, data }) => (kind === 'ConfigMap' ? [data] : []))
    expect(JSON.stringify(ofNode)).not.toContain('FOLDSCAN_SOURCE_FILE')
    const withoutSecret = rendered(tools, { values: { ...values, secrets: { source: null } } })
    expect(withoutSecret.stderr).toBe('')
    expect(withoutSecret.objects.length).toBe(objects.length)
  })

  it('lets the api reach the node that its responses are compared with', () => {
    const portsOf = (values: object) =>
      policyForm
        .parse(specOf('NetworkPolicy', 'mainnet-foldscan-api', values))
        .egress.map(({ ports }) => ports.map(({ port }) => port))
    const own = { api: { settings: { auditSource: 'https://node.example:8443' } } }
    expect(portsOf(own)).toEqual([...portsOf({}), [8443]])
    const byKey = { secrets: { auditSource: { key: 'audit-source' } } }
    expect(portsOf(byKey)).toEqual([...portsOf({}), [80, 443, 8545, 8546]])
    const variablesOf = (values: object) =>
      JSON.stringify(rendered(tools, { values }).objects.filter(({ kind }) => kind === 'ConfigMap'))
    expect(variablesOf(byKey)).toContain('FOLDSCAN_AUDIT_SOURCE_FILE')
    expect(variablesOf({ ...own, ...byKey })).not.toContain('FOLDSCAN_AUDIT_SOURCE_FILE')
  })

  it('warns where no policy keeps the enricher from private addresses', () => {
    const warning = /keeps it from private addresses .* networkPolicy\.sourceTo/
    const notesOf = (values: object) => {
      const flags = ['--dry-run=client', '--namespace', 'explorer', '--values', '-']
      const said = execFileSync(tools.helm, ['install', 'mainnet', chart, ...flags], {
        input: stringify(values),
        encoding: 'utf8',
      })
      return said.slice(said.indexOf('NOTES:'))
    }
    const enricher = { enabled: true }
    expect(notesOf({ enricher })).toMatch(warning)
    const sourceTo = [{ podSelector: { matchLabels: { app: 'node' } } }]
    for (const values of [{}, { enricher, networkPolicy: { sourceTo } }]) {
      expect(notesOf(values)).toContain('for chain 1 in namespace explorer')
      expect(notesOf(values)).not.toMatch(warning)
    }
  })

  it('lets its tests ask the api, whoever else may', () => {
    const only = [{ podSelector: { matchLabels: { app: 'proxy' } } }]
    const networkPolicy = { apiFrom: only, healthFrom: only }
    const { ingress } = policyForm.parse(
      specOf('NetworkPolicy', 'mainnet-foldscan-api', { networkPolicy }),
    )
    expect(ingress.map(({ from }) => from?.length)).toEqual([3, 3])
    expect(JSON.stringify(ingress)).toContain('test-freshness')
  })

  it('says how much of the disk of a node each pod may take', () => {
    for (const { name, spec } of podsOf(rendered(tools).objects)) {
      for (const { resources } of spec.containers) {
        expect(resources, name).toMatchObject({
          requests: { 'ephemeral-storage': '64Mi' },
          limits: { 'ephemeral-storage': '256Mi' },
        })
      }
    }
  })

  // Both write their logs beside their data: a pod that took more than its limit would be evicted.
  it.each([
    ['altinity.yaml', 'ClickHouseInstallation'],
    ['strimzi.yaml', 'KafkaNodePool'],
  ])('does not say so of the servers that an operator runs: %s', (name, kind) => {
    const { objects } = rendered(tools, { files: valueFiles.get(name) ?? [] })
    const servers = objects.filter((one) => one.kind === kind)
    expect(JSON.stringify(servers)).toContain('"limits":{"memory"')
    expect(JSON.stringify(servers)).not.toContain('ephemeral-storage')
  })

  it('fails `helm test` when responses are outdated, or show no block', async () => {
    const { objects } = rendered(tools, { values: { tests: { outdatedSeconds: 300 } } })
    const [container] =
      podsOf(objects).find(({ name }) => name.endsWith('-test-freshness'))?.spec.containers ?? []
    const [script = ''] = container?.args ?? []
    const secondsMax = container?.env.find(({ name }) => name === 'SECONDS_MAX')?.value
    expect(secondsMax).toBe('300')
    const run = async (seconds: number | null) => {
      const at = seconds === null ? [] : [new Date(Date.now() - seconds * 1_000).toISOString()]
      const headers = Object.fromEntries(at.map((time) => ['x-indexed-at', time]))
      const server = createServer((_, response) => void response.writeHead(200, headers).end('{}'))
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = addressForm.parse(server.address())
      const env = { URL: `http://127.0.0.1:${port}`, SECONDS_MAX: '300' }
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env })
      const [code] = await once(child, 'exit')
      server.close()
      return code
    }
    expect([await run(10), await run(290), await run(310), await run(null)]).toEqual([0, 0, 1, 1])
    const unasked = rendered(tools, { values: { tests: { outdatedSeconds: 0 } } }).objects
    const asking = podsOf(unasked).filter(({ name }) => name.endsWith('freshness'))
    expect(asking).toHaveLength(0)
  })
})

const addressForm = z.looseObject({ port: z.number() })
