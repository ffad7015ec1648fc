import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { environmentName, settingKeys } from '../../libs/settings/read-settings.ts'
import { groupVersions, isGroupName } from '../../libs/tables/declare/group-versions.ts'
import { statusStreamPath } from '../../services/api/status/status-page.ts'
import {
  chart,
  complaintsOf,
  describeWithHelm,
  type KubernetesObject,
  podsOf,
  type Rendered,
  rendered,
  restrictedComplaints,
  valueFiles,
} from './rendered.ts'

const routeForm = z.object({
  spec: z.object({
    rules: z.array(
      z.object({
        matches: z.unknown(),
        timeouts: z.object({ request: z.string() }),
        backendRefs: z.unknown(),
      }),
    ),
  }),
})

/** Kinds whose published schema no registry has. */
const unpublished = ['ClickHouseInstallation']

describeWithHelm('the chart', (tools) => {
  const sets = new Map<string, Rendered>(
    [...valueFiles].map(([name, files]) => [name, rendered(tools, { files })]),
  )
  const objectsOf = (name: string) => sets.get(name)?.objects ?? []
  const all = [...sets.values()].flatMap(({ objects }) => objects)

  it.each([...sets])('renders with %s', (_, { objects, stderr }) => {
    expect(stderr).toBe('')
    expect(objects.length).toBeGreaterThan(10)
  })

  it('passes the linter with each of them', () => {
    for (const files of valueFiles.values()) {
      const flags = files.flatMap((file) => ['--values', file])
      const said = execFileSync(tools.helm, ['lint', '--strict', chart, ...flags], {
        encoding: 'utf8',
      })
      expect(said).toContain('0 chart(s) failed')
    }
  })

  it('renders objects that the schemas of Kubernetes 1.31 and 1.37 take', () => {
    const known = (each: KubernetesObject) => !unpublished.includes(each.kind)
    const byName = Object.fromEntries(
      [...sets].map(([name, { objects }]) => [name, objects.filter(known)]),
    )
    expect(complaintsOf(tools, byName)).toEqual([])
    expect(new Set(all.map(({ kind }) => kind))).toEqual(
      new Set([
        ...['ClickHouseInstallation', 'ConfigMap', 'Deployment', 'HTTPRoute', 'Ingress', 'Job'],
        ...['HorizontalPodAutoscaler', 'Kafka', 'KafkaNodePool', 'KafkaTopic', 'KafkaUser'],
        ...['NetworkPolicy', 'Pod', 'PodDisruptionBudget', 'PrometheusRule', 'Service'],
        ...['ServiceAccount', 'ServiceMonitor', 'StatefulSet'],
      ]),
    )
  })

  it('would see an object that they refuse', () => {
    const [first] = objectsOf('defaults').filter(({ kind }) => kind === 'Deployment')
    const [topic] = objectsOf('strimzi.yaml').filter(({ kind }) => kind === 'KafkaTopic')
    const wrong = [
      { ...first, spec: { replica: 1 } },
      { ...topic, spec: { partition: 1 } },
    ]
    const objects = JSON.parse(JSON.stringify(wrong))
    expect(complaintsOf(tools, { wrong: objects }).join('\n')).toMatch(
      /Deployment.*1\.31.*\n.*1\.37.*\n(?:.*\n)*.*KafkaTopic.*'partition' was unexpected/,
    )
  })

  it('routes the stream of the status page without a time limit of its own', () => {
    const [route] = objectsOf('gateway.yaml').filter(({ kind }) => kind === 'HTTPRoute')
    const { rules } = routeForm.parse(route).spec
    const [api, stream] = rules.map(({ timeouts }) => timeouts.request)
    expect([api, stream]).toEqual(['30s', '0s'])
    expect(rules[1]?.matches).toEqual([{ path: { type: 'Exact', value: statusStreamPath } }])
    expect(rules[1]?.backendRefs).toEqual(rules[0]?.backendRefs)
  })

  it('makes pods that the restricted Pod Security Standard takes', () => {
    const pods = podsOf(all)
    expect(pods.length).toBeGreaterThan(50)
    for (const version of ['1.31', '1.37']) {
      expect(restrictedComplaints(tools, pods, version)).toEqual([])
    }
    const values = { containerSecurityContext: { capabilities: { drop: [] } } }
    const lax = podsOf(rendered(tools, { values }).objects)
    expect(restrictedComplaints(tools, lax, '1.31').join('\n')).toContain(
      'unrestricted capabilities',
    )
  })

  it('mounts no token, and hides the other services of the namespace', () => {
    for (const { name, spec } of podsOf(all)) {
      expect([name, spec.automountServiceAccountToken, spec.enableServiceLinks]).toEqual([
        name,
        false,
        false,
      ])
    }
    for (const { kind, automountServiceAccountToken } of all) {
      if (kind === 'ServiceAccount') expect(automountServiceAccountToken).toBe(false)
    }
  })

  it('takes what values.yaml says of each setting that it leaves out', () => {
    const page = readFileSync(`${chart}/values.yaml`, 'utf8')
    const defaults = [...page.matchAll(/^ {2}# (\w+): (\S+)$/gm)].filter(
      ([, key = '', value = '']) =>
        settingKeys.some((one) => one === key) && !/^(""|\[\])$/.test(value),
    )
    expect(defaults.length).toBeGreaterThan(25)
    const settings = parse(defaults.map(([, key, value]) => `${key}: ${value}`).join('\n'))
    expect(rendered(tools, { values: { settings } }).stderr).toBe('')
  })

  it('gives each writer of state one process, and a volume that no other pod can mount', () => {
    const stateful = objectsOf('defaults').filter(({ kind }) => kind === 'StatefulSet')
    expect(stateful.map(({ metadata }) => metadata.name)).toEqual([
      'mainnet-foldscan-ingestor',
      ...['dimensions', 'ledger', 'state'].map(nameOfProjector),
    ])
    for (const each of stateful) {
      const { replicas, volumeClaimTemplates } = statefulForm.parse(each.spec)
      expect(replicas).toBe(1)
      expect(volumeClaimTemplates.map(({ spec }) => spec.accessModes)).toEqual([
        ['ReadWriteOncePod'],
      ])
    }
  })

  it('folds a version that an earlier release serves, with its image, beside its own', () => {
    const previous = [{ group: 'state', version: 41, image: { tag: 'of-before' } }]
    const digest = `sha256:${'a'.repeat(64)}`
    const values = { image: { digest }, projector: { previous } }
    const { objects } = rendered(tools, { values })
    const stateful = objects.filter(({ kind }) => kind === 'StatefulSet')
    const imageOf = (called: string) =>
      podsOf(stateful.filter(({ metadata }) => metadata.name === called)).map(
        ({ spec }) => spec.containers[0]?.image,
      )
    const [image] = imageOf(nameOfProjector('ledger'))
    expect(imageOf(nameOfProjector('state'))).toEqual([image])
    const before = image?.replace(`@${digest}`, ':of-before')
    expect(before).not.toBe(image)
    expect(imageOf('mainnet-foldscan-projector-state-41')).toEqual([before])
    const selectors = stateful.map(({ spec }) => JSON.stringify(selectorForm.parse(spec).selector))
    expect(new Set(selectors).size).toBe(stateful.length)
    expect(complaintsOf(tools, { previous: stateful })).toEqual([])
  })

  it('gives its own projectors a volume for copies, and those of before none', () => {
    const volume = { persistentVolumeClaim: { claimName: 'copies' } }
    const copies = { volume, everyHours: 12 }
    const previous = [{ group: 'state', version: 41, image: { tag: 'of-before' } }]
    const { objects } = rendered(tools, { values: { projector: { copies, previous } } })
    const stateful = objects.filter(({ kind }) => kind === 'StatefulSet')
    const copying = podsOf(stateful).filter(({ spec }) =>
      spec.containers[0]?.env.some(({ name }) => name === 'FOLDSCAN_COPIES'),
    )
    expect(copying).toHaveLength(3)
    // Images of before refuse settings that they do not know.
    expect(JSON.stringify(objects).match(/COPY_EVERY_HOURS/g)).toHaveLength(3)
    for (const { spec } of copying) {
      expect(spec).toMatchObject({
        volumes: expect.arrayContaining([{ name: 'copies', ...volume }]),
        containers: [
          {
            volumeMounts: expect.arrayContaining([{ name: 'copies', mountPath: '/copies' }]),
            env: expect.arrayContaining([{ name: 'FOLDSCAN_COPY_EVERY_HOURS', value: '12' }]),
          },
        ],
      })
    }
    expect(complaintsOf(tools, { copies: stateful })).toEqual([])
  })

  it('grants its reading user what deploy/README.md lists for replicas', () => {
    const [installation] = objectsOf('altinity.yaml').filter(
      ({ kind }) => kind === 'ClickHouseInstallation',
    )
    const { users } = installationForm.parse(installation?.spec).configuration
    const page = readFileSync(new URL('../../deploy/README.md', import.meta.url), 'utf8')
    const listed = [...page.matchAll(/^ {6}(GRANT .+) TO ([\w, ]+);$/gm)].flatMap(
      ([, grant, to = '']) => (to.split(', ').includes('foldscan_reader') ? [grant] : []),
    )
    expect(users['foldscan_reader/grants/query']).toEqual(listed)
  })

  it('names every variable as the settings do', () => {
    const known = settingKeys.map(environmentName)
    const isKnown = (name: string) =>
      known.includes(name.replace(/_FILE$/, '')) || known.includes(name)
    const ofPods = podsOf(all).flatMap(({ spec }) => spec.containers.flatMap(({ env }) => env))
    const ofMaps = all
      .filter(({ kind }) => kind === 'ConfigMap')
      .flatMap(({ data }) => keysOf(data))
    const named = [...ofPods.map(({ name }) => name), ...ofMaps]
    const ours = [...new Set(named.filter((name) => name.startsWith('FOLDSCAN_')))]
    expect(ours.length).toBeGreaterThan(20)
    expect(ours.filter((name) => !isKnown(name))).toEqual([])
  })

  it('runs topics, then migrations, before the services; beside operators as jobs of the release', () => {
    const jobs = (name: string) =>
      objectsOf(name)
        .filter(({ kind }) => kind === 'Job')
        .map(({ metadata }) => metadata.annotations ?? {})
    expect(
      jobs('defaults')
        .map((each) => Number(each['helm.sh/hook-weight']))
        .sort(),
    ).toEqual([-10, -9])
    for (const each of jobs('defaults')) {
      expect(each['helm.sh/hook']).toBe('pre-install,pre-upgrade')
      expect(each['argocd.argoproj.io/sync-wave']).toBe(each['helm.sh/hook-weight'])
    }
    expect(jobs('strimzi.yaml')).toHaveLength(2)
    for (const each of jobs('strimzi.yaml')) expect(each).not.toHaveProperty('helm.sh/hook')
  })

  it('restarts a service when its settings change, and no other', () => {
    const checksums = (values: unknown) =>
      podsOf(rendered(tools, { values }).objects).flatMap(({ name, metadata }) => {
        const { annotations } = metadataForm.parse(metadata ?? {})
        return name.startsWith('Job') ? [] : [`${name} ${annotations['checksum/settings']}`]
      })
    const before = checksums({})
    const changed = checksums({ settings: { figuresStepSeconds: 60 } })
    expect(
      changed.filter((each) => !before.includes(each)).map((each) => each.split(' ')[1]),
    ).toEqual(['mainnet-foldscan-api'])
    expect(checksums({ api: { replicas: 7 } })).toEqual(before)
  })

  it('gives an api the time to be withdrawn, to drain and to close', () => {
    const values = { settings: { drainSeconds: 40 }, api: { preStopSeconds: 7 } }
    const [api] = podsOf(rendered(tools, { values }).objects).filter(({ name }) =>
      name.startsWith('Deployment'),
    )
    expect(api?.spec.terminationGracePeriodSeconds).toBe(40 + 7 + 15)
    expect(api?.spec.containers[0]?.lifecycle).toEqual({ preStop: { sleep: { seconds: 7 } } })
  })

  it('gives an api a larger young generation, unless options of Node are given', () => {
    const optionsOf = (values: object) =>
      podsOf(rendered(tools, { values }).objects)
        .filter(({ name }) => name.startsWith('Deployment'))
        .flatMap(({ spec }) => spec.containers[0]?.env ?? [])
        .flatMap(({ name, value }) => (name === 'NODE_OPTIONS' ? [value] : []))
    expect(optionsOf({})).toEqual(['--max-semi-space-size=32'])
    const extraEnv = [{ name: 'NODE_OPTIONS', value: '--max-old-space-size=512' }]
    for (const values of [{ extraEnv }, { api: { extraEnv } }]) {
      expect(optionsOf(values)).toEqual(['--max-old-space-size=512'])
    }
  })

  it('keeps releases of two chains apart', () => {
    const names = (name: string) =>
      rendered(tools, { name }).objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    const sepolia = names('sepolia')
    expect(names('mainnet').filter((each) => sepolia.includes(each))).toEqual([])
  })

  it('has short names where the release has a long one', () => {
    const { objects } = rendered(tools, {
      name: 'a-name-of-a-release-of-fifty-characters-and-a-bit',
    })
    expect(Math.max(...objects.map(({ metadata }) => metadata.name.length))).toBeLessThanOrEqual(52)
  })

  it('creates the topics that `topics check` wants, under their names', () => {
    const topics = objectsOf('strimzi.yaml').filter(({ kind }) => kind === 'KafkaTopic')
    const wanted = z
      .array(z.object({ name: z.string(), config: z.record(z.string(), z.string()) }))
      .parse(JSON.parse(readFileSync(`${chart}/files/topics.json`, 'utf8')))
    expect(topics.map(({ spec }) => topicForm.parse(spec))).toEqual(
      wanted.map(({ name, config }) => ({
        topicName: `mainnet.${name}`,
        partitions: 1,
        replicas: 3,
        config: { ...config, 'min.insync.replicas': '2' },
      })),
    )
  })
})

const installationForm = z.object({
  configuration: z.object({ users: z.record(z.string(), z.unknown()) }),
})
/** Of the version that this release folds. */
function nameOfProjector(group: string): string {
  const version = isGroupName(group) ? groupVersions[group] : 1
  return `mainnet-foldscan-projector-${group}${version === 1 ? '' : `-${version}`}`
}
const selectorForm = z.looseObject({ selector: z.unknown() })
const statefulForm = z.looseObject({
  replicas: z.number(),
  volumeClaimTemplates: z.array(
    z.looseObject({ spec: z.looseObject({ accessModes: z.array(z.string()) }) }),
  ),
})
const metadataForm = z.looseObject({ annotations: z.record(z.string(), z.string()).default({}) })
const topicForm = z.looseObject({ topicName: z.string() })
const keysOf = (part: unknown) => Object.keys(z.record(z.string(), z.unknown()).parse(part))
