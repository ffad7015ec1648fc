import { z } from 'zod'
import type { KubernetesObject } from '../helm/rendered.ts'

/*
 * The objects of a release that make pods or lead to them, in the order in which they are applied.
 */

const template = z.looseObject({
  metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
  spec: z.looseObject({}),
})

const deploymentForm = z.looseObject({
  replicas: z.number(),
  minReadySeconds: z.number().default(0),
  strategy: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('RollingUpdate'),
      rollingUpdate: z.strictObject({
        maxUnavailable: z.literal(0),
        maxSurge: z.string().regex(/^\d+%$/),
      }),
    }),
    z.strictObject({ type: z.literal('Recreate') }),
  ]),
  template,
})

const statefulForm = z.looseObject({
  replicas: z.literal(1),
  template,
  volumeClaimTemplates: z.array(
    z.looseObject({
      metadata: z.looseObject({ name: z.string() }),
      spec: z.looseObject({ accessModes: z.array(z.string()) }),
    }),
  ),
})

const jobForm = z.looseObject({ backoffLimit: z.number(), template })

const serviceForm = z.looseObject({
  clusterIP: z.string().optional(),
  selector: z.record(z.string(), z.string()),
  ports: z.array(z.looseObject({ port: z.number(), targetPort: z.string() })).length(1),
})

interface Named {
  readonly name: string
}

/** A hook: a job, or the pod of a test. */
export interface Hook extends Named {
  readonly spec: unknown
  readonly weight: number
}

export interface Workload extends Named {
  readonly labels: Readonly<Record<string, string>>
  readonly wave: number
  readonly replicas: number
  readonly minReadySeconds: number
  /** Pods above `replicas` while it is updated; null where the old pod ends before the new one. */
  readonly surge: number | null
  readonly spec: unknown
}

export interface ServiceOfPods extends Named {
  readonly isHeadless: boolean
  readonly selector: Readonly<Record<string, string>>
  readonly port: number
  readonly targetPort: string
}

export interface ObjectsOfRelease {
  readonly jobs: (hook: 'pre-install' | 'pre-upgrade') => Hook[]
  readonly tests: Hook[]
  /** In the order of their waves. */
  readonly workloads: Workload[]
  readonly services: ServiceOfPods[]
  readonly configMaps: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export function objectsOfRelease(objects: readonly KubernetesObject[]): ObjectsOfRelease {
  const of = (kind: string) => objects.filter((each) => each.kind === kind)
  const hooked = (kind: string, hook: string) =>
    of(kind)
      .filter((each) => annotation(each, 'helm.sh/hook').split(',').includes(hook))
      .sort((one, other) => weightOf(one) - weightOf(other))
  return {
    jobs: (hook) =>
      hooked('Job', hook).map((each) => ({
        name: each.metadata.name,
        spec: jobForm.parse(each.spec).template.spec,
        weight: weightOf(each),
      })),
    tests: hooked('Pod', 'test').map((each) => ({
      name: each.metadata.name,
      spec: each.spec,
      weight: weightOf(each),
    })),
    workloads: [...of('StatefulSet').map(stateful), ...of('Deployment').map(deployment)].sort(
      (one, other) => one.wave - other.wave,
    ),
    services: of('Service').map((each) => {
      const { clusterIP, selector, ports } = serviceForm.parse(each.spec)
      const [{ port, targetPort } = { port: 0, targetPort: '' }] = ports
      const isHeadless = clusterIP === 'None'
      return { name: each.metadata.name, isHeadless, selector, port, targetPort }
    }),
    configMaps: Object.fromEntries(
      of('ConfigMap').map(({ metadata, data }) => [
        metadata.name,
        z.record(z.string(), z.string()).parse(data),
      ]),
    ),
  }
}

const annotation = ({ metadata }: KubernetesObject, name: string) =>
  metadata.annotations?.[name] ?? ''
const weightOf = (one: KubernetesObject) => Number(annotation(one, 'helm.sh/hook-weight'))
const waveOf = (one: KubernetesObject) => Number(annotation(one, 'argocd.argoproj.io/sync-wave'))

function deployment(one: KubernetesObject): Workload {
  const { replicas, minReadySeconds, strategy, template } = deploymentForm.parse(one.spec)
  const surge =
    strategy.type === 'Recreate'
      ? null
      : Math.ceil((replicas * Number(strategy.rollingUpdate.maxSurge.slice(0, -1))) / 100)
  return {
    name: one.metadata.name,
    labels: template.metadata.labels,
    wave: waveOf(one),
    replicas,
    minReadySeconds,
    surge,
    spec: template.spec,
  }
}

/** With the volumes of its claims, which the controller adds. */
function stateful(one: KubernetesObject): Workload {
  const { replicas, template, volumeClaimTemplates } = statefulForm.parse(one.spec)
  const own = z.array(z.unknown()).default([]).parse(template.spec.volumes)
  const claims = volumeClaimTemplates.map(({ metadata: { name } }) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${one.metadata.name}-0` },
  }))
  return {
    name: one.metadata.name,
    labels: template.metadata.labels,
    wave: waveOf(one),
    replicas,
    minReadySeconds: 0,
    surge: null,
    spec: { ...template.spec, volumes: [...own, ...claims] },
  }
}
