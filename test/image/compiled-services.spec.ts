import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

const top = fileURLToPath(new URL('../..', import.meta.url))
const bomSchema = z.object({
  components: z.array(z.object({ 'bom-ref': z.string() })),
})
const packageSchema = z.object({ name: z.string(), version: z.string() })
const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })),
})
/** Seconds on a machine that does nothing else. */
const buildTimeoutMs = 5 * 60_000

const commands = [
  [],
  ['ingestor'],
  ['enricher'],
  ['projector'],
  ['api'],
  ['migrate'],
  ['topics', 'create'],
  ['topics', 'check'],
  ['lag'],
]

/** What `COPY --from=build /app` of the Dockerfile brings into the image. */
describe('the compiled services', () => {
  let folder: string
  let packages: readonly string[]

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'foldscan-image-'))
    execFileSync('npm', ['run', 'build'], { cwd: top, stdio: 'pipe' })
    execFileSync('node', ['deploy/image/collect.mjs', folder], { cwd: top, stdio: 'pipe' })
    packages = packagesIn(join(folder, 'node_modules'))
  }, buildTimeoutMs)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('print the help that the sources print', async () => {
    const helpOf = async (main: readonly string[], command: readonly string[]) =>
      (await promisify(execFile)('node', [...main, ...command, '--help'])).stdout
    for (const command of commands) {
      const compiled = await helpOf([join(folder, 'services/cli/main.js')], command)
      expect(compiled, command.join(' ')).toBe(
        await helpOf([join(top, 'services/cli/foldscan.mjs')], command),
      )
      expect(compiled).toContain('Usage: foldscan')
    }
  })

  it('bring no engine and no development dependency', () => {
    const lock = lockSchema.parse(JSON.parse(readFileSync(join(top, 'package-lock.json'), 'utf8')))
    expect(packages).toContain('kafkajs')
    for (const name of packages) {
      expect(lock.packages[`node_modules/${name}`], name).toBeDefined()
      expect(lock.packages[`node_modules/${name}`]?.dev, name).toBeUndefined()
      expect(name).not.toMatch(/chdb|ffi-rs|foundry|tsx|esbuild|swc|typescript|vitest/)
    }
    const files = readdirSync(folder, { recursive: true }).map(String)
    expect(files.filter((file) => /\.spec\.|(^|\/)testing(\/|$)/.test(file))).toEqual([])
    expect(files.filter((file) => /^(libs|services)\/.*\.ts$/.test(file))).toEqual([])
  })

  it('bring the licence', () =>
    expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toBe(
      readFileSync(join(top, 'LICENSE'), 'utf8'),
    ))

  it('list their packages in the SBOM', () => {
    const bom = bomSchema.parse(JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')))
    const shipped = readdirSync(folder, { recursive: true })
      .map(String)
      .filter((file) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
      .map((file) => packageSchema.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))))
      .map(({ name, version }) => `${name}@${version}`)
    expect(bom.components.map((component) => component['bom-ref']).sort()).toEqual(
      [...new Set(shipped)].sort(),
    )
  })

  const healthCheck = () => join(folder, 'health-check.mjs')

  it('have a health check with the exit code of the answer', async () => {
    let status = 200
    const server = createServer(({ url }, response) =>
      response.writeHead(url === '/health/ready' ? 503 : status).end(),
    )
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const env = { ...process.env, FOLDSCAN_HEALTH_HOST: '0.0.0.0', FOLDSCAN_HEALTH_PORT: `${port}` }
    const checkCode = (...words: string[]) =>
      promisify(execFile)('node', [healthCheck(), ...words], { env }).then(
        () => 0,
        ({ code }: { code: unknown }) => code,
      )
    expect(await checkCode()).toBe(0)
    expect(await checkCode('ready')).toBe(1)
    status = 503
    expect(await checkCode()).toBe(1)
    await new Promise((done) => server.close(done))
    expect(await checkCode()).toBe(1)
  })

  it('have a health check that asks where a service listens by default', async () => {
    const env = { PATH: process.env.PATH }
    // Whatever else runs here may answer: only the address is looked at.
    const { stdout } = await promisify(execFile)('node', [healthCheck()], { env }).catch(
      ({ stdout }: { stdout: string }) => ({ stdout }),
    )
    expect(stdout).toContain(' http://127.0.0.1:4100/health/live')
  })
})

/** Names of npm packages in a folder `node_modules`. */
const packagesIn = (modules: string): string[] =>
  readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((one) => `${name}/${one}`) : [name],
  )
