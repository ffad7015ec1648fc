import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { stackHome } from '../../deploy/stack/binaries.ts'
import { buildOnce } from '../../deploy/stack/build-once.ts'
import { orSkipped } from '../support/or-skipped.ts'

const run = promisify(execFile)

/** Programs and schemas that the chart is tested with. */
export interface HelmTools {
  readonly helm: string
  /** Evaluates the restricted Pod Security Standard; see tools/restricted/main.go. */
  readonly restricted: string
  /** Packages of tools/requirements.txt. */
  readonly pythonPath: string
  /** CustomResourceDefinitions. */
  readonly definitions: string
}

const tools = fileURLToPath(new URL('tools/', import.meta.url))
/** Helm is compiled with what it needs of Kubernetes: 3.5 minutes of one core, once. */
const buildTimeoutMs = 20 * 60_000

const prometheusOperator = 'github.com/prometheus-operator/prometheus-operator@v0.85.0'

/** Modules that publish their definitions, and where. */
const published = [
  ['sigs.k8s.io/gateway-api@v1.6.3', 'config/crd/standard', 'gateway.networking.k8s.io_httproutes'],
  [prometheusOperator, 'example/prometheus-operator-crd', 'monitoring.coreos.com_servicemonitors'],
  [prometheusOperator, 'example/prometheus-operator-crd', 'monitoring.coreos.com_prometheusrules'],
] as const

const strimziModel = 'io.strimzi.api.kafka.model'
const strimziKinds = ['kafka.Kafka', 'nodepool.KafkaNodePool', 'topic.KafkaTopic', 'user.KafkaUser']

/** Builds them once, from Go's module proxy, PyPI and Maven Central; offline after that. */
export const helmTools = (): Promise<HelmTools | null> => orSkipped('Helm', builtTools)

async function builtTools(): Promise<HelmTools> {
  const folder = join(stackHome, `helm-${digest()}`)
  await buildOnce(folder, buildInto)
  return {
    helm: join(folder, 'helm'),
    restricted: join(folder, 'restricted'),
    pythonPath: join(folder, 'python'),
    definitions: join(folder, 'definitions'),
  }
}

function digest(): string {
  const hash = createHash('sha256').update(JSON.stringify([published, strimziKinds]))
  for (const file of ['go.sum', 'restricted/main.go', 'requirements.txt', 'pom.xml']) {
    hash.update(readFileSync(join(tools, file)))
  }
  return hash.digest('hex').slice(0, 12)
}

async function buildInto(folder: string): Promise<void> {
  mkdirSync(join(folder, 'definitions'))
  const options = { cwd: tools, timeout: buildTimeoutMs, maxBuffer: 64 * 1024 * 1024 }
  const packages = ['helm.sh/helm/v4/cmd/helm', './restricted']
  const build = ['build', '-trimpath', '-ldflags=-s -w', '-o', `${folder}/`, ...packages]
  const python = ['--require-hashes', '--target', join(folder, 'python')]
  const install = ['-m', 'pip', 'install', '-q', ...python]
  await Promise.all([
    run('go', build, { ...options, env: { ...process.env, GOTOOLCHAIN: 'local' } }),
    makeDefinitions(folder),
    run('python3', [...install, '-r', join(tools, 'requirements.txt')], options),
  ])
}

const downloaded = z.object({ Dir: z.string() })

async function makeDefinitions(own: string): Promise<void> {
  const options = { cwd: tools, timeout: buildTimeoutMs }
  const definitions = join(own, 'definitions')
  for (const [module, path, name] of published) {
    const { stdout } = await run('go', ['mod', 'download', '-json', module], options)
    const from = join(downloaded.parse(JSON.parse(stdout)).Dir, path, `${name}.yaml`)
    copyFileSync(from, join(definitions, `${name}.yaml`))
  }
  const jars = join(own, 'jars')
  const copy = ['-B', '-q', '-f', join(tools, 'pom.xml'), 'dependency:copy-dependencies']
  await run('mvn', [...copy, `-DoutputDirectory=${jars}`], options)
  const made = strimziKinds.map(
    (kind) => `${strimziModel}.${kind}=${join(definitions, `${kind}.yaml`)}`,
  )
  const generator = ['io.strimzi.crdgenerator.CrdGenerator', '--target-kube', '1.25+', ...made]
  await run('java', ['-cp', `${jars}/*`, ...generator], options)
  rmSync(jars, { recursive: true })
}
