import { expect, it } from 'vitest'
import { containerOfPod, type Surroundings } from '../kubernetes/container-of-pod.ts'
import { objectsOfRelease } from '../kubernetes/objects.ts'
import { projectorOf } from '../support/projector-of.ts'
import { describeWithHelm, rendered } from './rendered.ts'

/** What `npm run test:kubernetes` starts, which takes minutes and a Docker daemon. */
describeWithHelm('pods of the chart as containers', (tools) => {
  const { objects } = rendered(tools, { values: { enricher: { enabled: true } } })
  const release = objectsOfRelease(objects)
  const around: Surroundings = {
    podName: 'pod',
    namespace: 'explorer',
    address: '127.64.0.1',
    configMaps: release.configMaps,
    secrets: {
      foldscan: { source: '1', 'clickhouse-password': '2', 'clickhouse-read-password': '3' },
    },
    hosts: {},
    claim: (name) => name,
    prefix: '',
  }

  it('are all translated, with every field', () => {
    const specs = [...release.jobs('pre-install'), ...release.workloads, ...release.tests]
    expect(specs).toHaveLength(11)
    for (const { name, spec } of specs) {
      const { args } = containerOfPod(spec, around)
      expect(args, name).toContain('--read-only')
      expect(args, name).toContain('65532:65532')
    }
  })

  it('come in the order of hooks and waves', () => {
    const names = (all: readonly { name: string }[]) =>
      all.map(({ name }) => name.replace('mainnet-foldscan-', ''))
    expect(names(release.jobs('pre-upgrade'))).toEqual(['topics', 'migrations'])
    expect(names(release.workloads)).toEqual([
      ...[projectorOf('dimensions'), projectorOf('ledger'), projectorOf('state')],
      ...['ingestor', 'enricher', 'api'],
    ])
  })

  it('hold secrets as files that their group alone reads', () => {
    const [api] = release.workloads.filter(({ name }) => name.endsWith('-api'))
    const { volumes } = containerOfPod(api?.spec, around)
    const files = volumes.filter((volume) => volume.files.length > 0)
    expect(files.map(({ fileMode, group }) => [fileMode.toString(8), group])).toEqual([
      ['440', 65532],
    ])
  })
})
