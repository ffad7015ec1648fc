import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { z } from 'zod'
import { projectorOf } from '../support/projector-of.ts'
import { describeWithHelm, podsOf, rendered, valueFiles } from './rendered.ts'

/** Names and keys of Secrets are the only words about secrets that a release may contain. */
const references = {
  existingSecret: 'canary-secret',
  source: { key: 'canary-source' },
  clickhousePassword: { key: 'canary-clickhouse' },
  clickhouseReadPassword: { existingSecret: 'canary-reader', key: 'canary-read' },
  kafkaPassword: { key: 'canary-kafka' },
  redisUrl: { key: 'canary-redis' },
  auditSource: { key: 'canary-audited' },
}
const settings = { kafkaSaslMechanism: 'plain', kafkaUser: 'foldscan' }

describeWithHelm('secrets of a release', (tools) => {
  const { objects } = rendered(tools, { values: { secrets: references, settings } })

  it('are mounted as files, and stand in no ConfigMap, argument, annotation or variable', () => {
    const pods = podsOf(objects)
    expect(stringify(objects)).toContain('canary-kafka')
    const mounted = pods.map(({ spec }) => ({ ...spec, volumes: [] }))
    expect(stringify(mounted)).not.toContain('canary')
    const others = objects.filter(
      ({ kind }) => !['Deployment', 'StatefulSet', 'Job', 'Pod'].includes(kind),
    )
    expect(others.length).toBeGreaterThan(10)
    expect(stringify(others)).not.toContain('canary')
    for (const { metadata } of [...objects, ...pods]) {
      expect(stringify(metadata)).not.toContain('canary')
    }
  })

  it('reach only the services that take them', () => {
    const keys = Object.fromEntries(
      podsOf(objects).map(({ name, spec }) => [
        name.replace(/^\w+ mainnet-foldscan-/, ''),
        [...new Set(stringify(spec.volumes).match(/canary-\w+/g) ?? [])]
          .filter((word) => !['canary-secret', 'canary-reader'].includes(word))
          .sort(),
      ]),
    )
    expect(keys).toEqual({
      api: ['canary-audited', 'canary-kafka', 'canary-read', 'canary-redis'],
      ingestor: ['canary-kafka', 'canary-read', 'canary-source'],
      [projectorOf('ledger')]: ['canary-clickhouse', 'canary-kafka', 'canary-redis'],
      [projectorOf('state')]: ['canary-clickhouse', 'canary-kafka', 'canary-redis'],
      [projectorOf('dimensions')]: ['canary-clickhouse', 'canary-kafka', 'canary-redis'],
      migrations: ['canary-clickhouse'],
      topics: ['canary-kafka'],
      'test-topics': ['canary-kafka'],
      'test-api': [],
      'test-freshness': [],
    })
  })

  it('are never created by the chart', () => {
    const kinds = [...valueFiles.values()].flatMap((files) =>
      rendered(tools, { files }).objects.map(({ kind }) => kind),
    )
    expect(kinds).not.toContain('Secret')
  })

  it('come by a reference where an operator needs one', () => {
    const values = {
      altinity: { enabled: true },
      secrets: { clickhousePassword: { key: 'canary' } },
    }
    const [installation] = rendered(tools, { values }).objects.filter(
      ({ kind }) => kind === 'ClickHouseInstallation',
    )
    const { configuration } = installationForm.parse(installation?.spec)
    expect(configuration.users['foldscan/password']).toEqual({
      valueFrom: { secretKeyRef: { name: 'foldscan', key: 'canary' } },
    })
  })
})

const installationForm = z.looseObject({
  configuration: z.looseObject({ users: z.record(z.string(), z.unknown()) }),
})
