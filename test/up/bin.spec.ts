import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { version } from '../../libs/signals/version.ts'
import { freshFolder, ownEnvironment, top } from './running.ts'

const run = promisify(execFile)
const folder = freshFolder()
/** npm links the project into its cache: not into the one of this machine. */
const env = { ...ownEnvironment(), npm_config_cache: join(folder, 'cache') }

const foldscan = (cwd: string, ...words: string[]) =>
  run('npx', ['--offline', 'foldscan', ...words], { cwd, env })

/** What `npm install` of the packed project leaves, without installing its dependencies again. */
async function install(into: string): Promise<void> {
  const modules = join(into, 'node_modules')
  mkdirSync(join(modules, '.bin'), { recursive: true })
  mkdirSync(join(modules, 'foldscan'))
  writeFileSync(join(into, 'package.json'), '{"private": true}')
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', into], {
    cwd: top,
    env,
  })
  const archive = join(into, stdout.trim())
  await run('tar', ['xzf', archive, '-C', join(modules, 'foldscan'), '--strip-components=1'])
  for (const name of readdirSync(join(top, 'node_modules'))) {
    if (name !== '.bin') symlinkSync(join(top, 'node_modules', name), join(modules, name))
  }
  symlinkSync('../foldscan/services/cli/foldscan.mjs', join(modules, '.bin', 'foldscan'))
}

const installed = join(folder, 'installed')
beforeAll(() => install(installed))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each([
  ['in a clone', top],
  ['where the package is installed', installed],
])('npx foldscan %s', (_, cwd) => {
  it('prints its version', async () => {
    expect((await foldscan(cwd, '--version')).stdout).toBe(`${version}\n`)
  })

  it('loads what a command needs', async () => {
    const { stdout } = await foldscan(cwd, 'topics', 'schema', 'coin-prices')
    expect(JSON.parse(stdout)).toHaveProperty('$schema')
  })

  it('ends with the exit code and the sentence of its command', async () => {
    const failed = foldscan(cwd, 'lag', '--kafka-brokers', '127.0.0.1:1')
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Kafka at 127.0.0.1:1 cannot be reached'),
    })
  })
})
