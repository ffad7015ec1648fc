import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import { stackHome } from '../../deploy/stack/binaries.ts'
import { buildOnce } from '../../deploy/stack/build-once.ts'
import { orSkipped } from '../support/or-skipped.ts'

const tools = fileURLToPath(new URL('tools/', import.meta.url))
const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url))
const buildTimeoutMs = 5 * 60_000

const dependencySchema = z.looseObject({ condition: z.string() })
const serviceSchema = z.looseObject({
  image: z.string(),
  command: z.array(z.string()).nullable(),
  environment: z.record(z.string(), z.string().nullable()).default({}),
  user: z.string().optional(),
  read_only: z.boolean().default(false),
  privileged: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  mem_limit: z.string().optional(),
  restart: z.string().optional(),
  networks: z.record(z.string(), z.unknown()).default({}),
  depends_on: z.record(z.string(), dependencySchema).default({}),
  healthcheck: z.looseObject({ disable: z.boolean().default(false) }).optional(),
  ports: z.array(z.looseObject({ host_ip: z.string().optional(), target: z.number() })).default([]),
  secrets: z.array(z.looseObject({ source: z.string() })).default([]),
  volumes: z
    .array(z.looseObject({ type: z.string(), source: z.string().optional(), target: z.string() }))
    .default([]),
})
const projectSchema = z.looseObject({
  services: z.record(z.string(), serviceSchema),
  networks: z.record(z.string(), z.looseObject({ internal: z.boolean().default(false) })),
  secrets: z.record(z.string(), z.looseObject({ file: z.string() })),
})

export type ComposeService = z.infer<typeof serviceSchema>
export type ComposeProject = z.infer<typeof projectSchema>

export interface ComposeOptions {
  /** Files of `deploy`, the later over the earlier. */
  readonly files?: readonly string[]
  readonly profiles?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** Reads compose files as `docker compose` does. @throws its errors */
export type ReadCompose = (options: ComposeOptions) => ComposeProject

/**
 * By the library of `docker compose` itself, built once from Go's module proxy; offline after that.
 */
export const composeReader = (): Promise<ReadCompose | null> =>
  orSkipped('reader of compose files', builtReader)

async function builtReader(): Promise<ReadCompose> {
  const folder = join(stackHome, `compose-reader-${digest()}`)
  const binary = join(folder, 'compose')
  await buildOnce(folder, build)
  return ({ files = ['compose.yaml'], profiles = [], environment = {} }) => {
    const paths = files.map((file) => join(deploy, file)).join(',')
    const text = execFileSync(binary, [paths, ...profiles], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...environment },
      stdio: 'pipe',
    })
    return projectSchema.parse(JSON.parse(text))
  }
}

function digest(): string {
  const hash = createHash('sha256')
  for (const file of ['go.sum', 'main.go']) hash.update(readFileSync(join(tools, file)))
  return hash.digest('hex').slice(0, 12)
}

async function build(folder: string): Promise<void> {
  const args = ['build', '-trimpath', '-ldflags=-s -w', '-o', join(folder, 'compose'), '.']
  const env = { ...process.env, GOTOOLCHAIN: 'local' }
  await promisify(execFile)('go', args, { cwd: tools, timeout: buildTimeoutMs, env })
}
