import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { stackHome } from '../../deploy/stack/binaries.ts'
import { buildOnce } from '../../deploy/stack/build-once.ts'
import { orSkipped } from '../support/or-skipped.ts'

const run = promisify(execFile)

/** Programs that judge what the chart renders. */
export interface FindingTools {
  readonly kubeScore: string
  /** Packages of tools/checkov.txt. */
  readonly checkovPath: string
}

/** Not in tools/go.mod: it needs an older Kubernetes than Helm. */
const kubeScore = 'github.com/zegl/kube-score/cmd/kube-score@v1.20.0'
const requirements = fileURLToPath(new URL('tools/checkov.txt', import.meta.url))
const buildTimeoutMs = 20 * 60_000

/** Builds them once, from Go's module proxy and PyPI; offline after that. */
export const findingTools = (): Promise<FindingTools | null> =>
  orSkipped('kube-score and checkov', builtTools)

async function builtTools(): Promise<FindingTools> {
  const hash = createHash('sha256').update(kubeScore).update(readFileSync(requirements))
  const folder = join(stackHome, `findings-${hash.digest('hex').slice(0, 12)}`)
  await buildOnce(folder, buildInto)
  return { kubeScore: join(folder, 'kube-score'), checkovPath: join(folder, 'checkov') }
}

async function buildInto(folder: string): Promise<void> {
  const options = { timeout: buildTimeoutMs, maxBuffer: 64 * 1024 * 1024 }
  const env = { ...process.env, GOBIN: folder, GOTOOLCHAIN: 'local' }
  const python = ['--require-hashes', '--target', join(folder, 'checkov'), '-r', requirements]
  await Promise.all([
    run('go', ['install', kubeScore], { ...options, env }),
    run('python3', ['-m', 'pip', 'install', '-q', ...python], options),
  ])
}
