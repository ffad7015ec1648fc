import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import { parseAllDocuments, stringify } from 'yaml'
import { z } from 'zod'
import { type HelmTools, helmTools } from './helm-tools.ts'

export const chart = fileURLToPath(new URL('../../helm/foldscan', import.meta.url))

const found = await helmTools()

/** Tests that need Helm and more; skipped where either cannot be had. */
export function describeWithHelmAnd<T>(
  needed: T | null,
  name: string,
  body: (tools: HelmTools, needed: T) => void,
): void {
  describe.skipIf(found === null || needed === null)(name, () => {
    if (found !== null && needed !== null) body(found, needed)
  })
}

/** Tests that need Helm; skipped where it cannot be built. */
export const describeWithHelm = (name: string, body: (tools: HelmTools) => void): void =>
  describeWithHelmAnd(true, name, body)

const objectForm = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    annotations: z.record(z.string(), z.string()).optional(),
    labels: z.record(z.string(), z.string()).optional(),
  }),
})

/** A rendered object of Kubernetes. */
export type KubernetesObject = z.infer<typeof objectForm>

/** What `helm template` did: the objects, or its error. */
export interface Rendered {
  readonly objects: readonly KubernetesObject[]
  readonly stderr: string
}

/** Files of values that the chart brings, by their name; the defaults are the empty name. */
export const valueFiles: ReadonlyMap<string, readonly string[]> = new Map([
  ['defaults', []],
  ...readdirSync(`${chart}/ci`).map((file): [string, string[]] => [file, [`${chart}/ci/${file}`]]),
  ...['values-small.yaml', 'values-production.yaml'].map((file): [string, string[]] => [
    file,
    [`${chart}/${file}`],
  ]),
])

export interface RenderOptions {
  readonly files?: readonly string[]
  /** Over all files, as values.yaml would have them. */
  readonly values?: unknown
  readonly name?: string
}

/** `helm template`, as an upgrade of a release would see it. */
export function rendered({ helm }: HelmTools, options: RenderOptions = {}): Rendered {
  const { files = [], values = {}, name = 'mainnet' } = options
  const flags = [...files, '-'].flatMap((file) => ['--values', file])
  const args = ['template', name, chart, '--namespace', 'explorer', '--kube-version', '1.31.0']
  const { stdout, stderr, status } = spawnSync(helm, [...args, ...flags], {
    input: stringify(values),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) return { objects: [], stderr }
  const documents = parseAllDocuments(stdout, { version: '1.1' }).map((each) => each.toJS() ?? null)
  return { objects: z.array(objectForm).parse(documents.filter((each) => each !== null)), stderr }
}

/** Each schema's complaints about objects by the name of their value set; none if all are valid. */
export function complaintsOf(
  { pythonPath, definitions }: HelmTools,
  sets: Readonly<Record<string, readonly KubernetesObject[]>>,
): string[] {
  const script = fileURLToPath(new URL('tools/validate.py', import.meta.url))
  const input = JSON.stringify(sets)
  const args = [script, definitions, '1.31', '1.37']
  const env = { ...process.env, PYTHONPATH: pythonPath }
  const said = execFileSync('python3', args, { input, encoding: 'utf8', env })
  return said.split('\n').filter((line) => line !== '')
}

const templateForm = z.looseObject({ metadata: z.looseObject({}).optional(), spec: podForm() })
const workloadForm = z.looseObject({ spec: z.looseObject({ template: templateForm }) })

function podForm() {
  const container = z.looseObject({
    name: z.string(),
    image: z.string(),
    args: z.array(z.string()).default([]),
    env: z.array(z.looseObject({ name: z.string() })).default([]),
  })
  return z.looseObject({ containers: z.array(container) })
}

/** A pod that an object makes, named after it. */
export interface RenderedPod {
  readonly name: string
  readonly metadata: unknown
  readonly spec: z.infer<ReturnType<typeof podForm>>
}

/** Pods of Deployments, StatefulSets, Jobs and tests. */
export const podsOf = (objects: readonly KubernetesObject[]): RenderedPod[] =>
  objects.flatMap((one) => {
    const { kind, metadata } = one
    const name = `${kind} ${metadata.name}`
    if (kind === 'Pod') return [{ name, metadata, spec: podForm().parse(one.spec) }]
    if (!['Deployment', 'StatefulSet', 'Job'].includes(kind)) return []
    const { template } = workloadForm.parse(one).spec
    return [{ name, metadata: template.metadata, spec: template.spec }]
  })

/** Why the restricted standard of a version refuses pods; none if it takes all of them. */
export function restrictedComplaints(
  { restricted }: HelmTools,
  pods: readonly RenderedPod[],
  version: string,
): string[] {
  const input = JSON.stringify(
    pods.map(({ name, metadata, spec }) => ({
      metadata: { ...z.looseObject({}).parse(metadata ?? {}), name },
      spec,
    })),
  )
  const said = execFileSync(restricted, [version], { input, encoding: 'utf8' })
  return said.split('\n').filter((line) => line !== '')
}
