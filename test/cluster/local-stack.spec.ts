import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stackBinaries } from '../../deploy/stack/binaries.ts'
import { startKafka } from '../../deploy/stack/kafka.ts'
import { startRedis } from '../../deploy/stack/redis.ts'
import { noSmallVolume, smallVolume } from '../../deploy/stack/small-volume.ts'
import { until } from '../support/until.ts'
import { endOf, madeTopic, produce, produceOnce } from './kafka-commands.ts'

const noBinaries = await stackBinaries().then(
  () => null,
  (error: unknown) => String(error),
)
if (noBinaries !== null && process.env.CI === 'true') throw new Error(noBinaries)
/** Why tests are skipped stands in their names. */
const because = (reason: string | null) => (reason === null ? '' : ` (not here: ${reason})`)
const noFullDisk = noBinaries ?? noSmallVolume()
const top = fileURLToPath(new URL('../../', import.meta.url))

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'foldscan-test-stack-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** All processes whose arguments name the folder. */
const processesOn = (path: string) =>
  execFileSync('ps', ['-ww', '-eo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(path))

describe.skipIf(noBinaries !== null)(`the stack as a command${because(noBinaries)}`, () => {
  let output = ''
  const run = (...words: string[]): ChildProcess => {
    const args = [
      '--import',
      './services/cli/strip-types.mjs',
      'deploy/stack/main.ts',
      ...words,
      '--folder',
      folder,
    ]
    const child = spawn(process.execPath, args, { cwd: top, stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    return child
  }
  const started = async () => {
    output = ''
    const child = run()
    await until('the stack prints its addresses', () => output.includes('Ctrl-C'), 90_000)
    return child
  }

  it('prints its help, and starts nothing', async () => {
    output = ''
    expect(await once(run('--help'), 'exit')).toEqual([0, null])
    expect(output).toMatch(/^npm run stack -- \[stop\] \[--folder FOLDER\]\n/)
    expect(output).toContain('--help')
    expect(readdirSync(folder)).toEqual([])
  })

  it('prints the addresses for services, and leaves no process behind after a stop', async () => {
    const child = await started()
    for (const name of ['KAFKA_BROKERS', 'CLICKHOUSE_URL', 'REDIS_URL']) {
      expect(output).toMatch(new RegExp(`export FOLDSCAN_${name}='.*127\\.0\\.0\\.1:\\d+'`))
    }
    expect(processesOn(folder).length).toBeGreaterThanOrEqual(4)
    const ended = once(child, 'exit')
    await once(run('stop'), 'exit')
    expect(await ended).toEqual([0, null])
    expect(processesOn(folder)).toEqual([])
  })

  it('leaves no process behind when it is killed', async () => {
    const child = await started()
    child.kill('SIGKILL')
    await until('every server went with it', () => processesOn(folder).length === 0)
  })

  it('comes back where it was', async () => {
    const addresses = () => readFileSync(join(folder, 'environment'), 'utf8')
    const first = await started()
    const before = addresses()
    first.kill('SIGTERM')
    await once(first, 'exit')
    const second = await started()
    expect(addresses()).toBe(before)
    second.kill('SIGTERM')
    await once(second, 'exit')
  })
})

describe.skipIf(noBinaries !== null)(`a server of the stack${because(noBinaries)}`, () => {
  it('is refused a folder that another one uses', async () => {
    const redis = await startRedis({ folder })
    await expect(startRedis({ folder })).rejects.toThrow(`(pid ${redis.pid()})`)
    await redis.stop()
  })

  it('reports why it ended', async () => {
    const settings = { 'log.retention.hours': 'many' }
    await expect(startKafka({ folder, settings })).rejects.toThrow(/log\.retention\.hours/)
  })
})

describe.skipIf(noFullDisk !== null)(`a broker whose disk is full${because(noFullDisk)}`, () => {
  it('ends, and has every acknowledged message once there is room again', async () => {
    const volume = smallVolume(join(folder, 'volume'), 64)
    const kafka = await startKafka({ folder, logFolder: join(volume.folder, 'log') })
    try {
      await madeTopic(kafka.address, 'full')
      await produce(kafka.address, 'full', ['kept'])
      const gone = kafka.exited()
      volume.fill(2 * 1024 ** 2)
      let kept = 1
      const half = 'x'.repeat(2 ** 19)
      const filling = (async () => {
        for (;;) {
          await produceOnce(kafka.address, 'full', [half])
          kept += 1
        }
      })()
      await expect(filling).rejects.toThrow()
      expect(await gone).toMatch(/log dirs .* have failed/)
      volume.relieve()
      await kafka.restart()
      expect(await endOf(kafka.address, 'full')).toBeGreaterThanOrEqual(kept)
    } finally {
      await kafka.stop()
      volume.remove()
    }
  })
})
