import { execFileSync, spawn } from 'node:child_process'
import { rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { events } from '../../libs/signals/events.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { foldscanWords } from '../support/compiled-services.ts'
import { endAll, freshFolder, mainnet, top } from './running.ts'

afterAll(endAll)

const inOwnMounts = ['--user', '--map-root-user', '--mount', 'sh', '-c']

/** A disk of our own needs a mount; some machines allow it to nobody but root, some to nobody. */
function canMount(): boolean {
  const folder = freshFolder()
  try {
    execFileSync('unshare', [...inOwnMounts, `mount -t tmpfs none ${folder}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  } finally {
    rmdirSync(folder)
  }
}

const up = (folder: string) =>
  [
    process.execPath,
    ...foldscanWords(['up', '--port', '0', '--source', mainnet, '--data-dir', folder]),
  ].join(' ')

/** What LMDB itself writes to stderr, without a line end, where its write is what finds no room. */
const saidByLmdb = /Write error: No space left on device position \d+, size \d+/g

describe('foldscan up on a full disk', () => {
  it.skipIf(!canMount())(
    'ends with one sentence, and goes on to the end once there is room',
    async () => {
      const folder = freshFolder()
      const logFile = join(freshFolder(), 'log')
      const script = [
        `mount -t tmpfs -o size=8m none ${folder}`,
        `${up(folder)} >${logFile}; echo "first ended with $?"`,
        `grep '"level":"fatal"' ${logFile}`,
        `mount -o remount,size=256m ${folder}`,
        `exec ${up(folder)}`,
      ].join('\n')
      const shell = spawn('unshare', [...inOwnMounts, script], { cwd: top })
      let output = ''
      let stderr = ''
      const ready = new Promise<void>((resolve) => {
        shell.stdout.on('data', (chunk: Buffer) => {
          output += chunk.toString()
          if (output.includes(`"${events.up.ready}"`)) resolve()
        })
        shell.on('close', () => resolve())
      })
      shell.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString()
      })
      await ready
      shell.kill('SIGTERM')
      rmdirSync(folder)
      expect(output).toContain('first ended with 1\n')
      const fatal = output.split('\n').filter((line) => line.includes('"level":"fatal"'))
      expect(fatal.map((line) => JSON.parse(line))).toMatchObject([
        {
          runbook: runbooks.diskFull,
          msg: expect.stringMatching(/^The disk of the data folder .* is full: /),
        },
      ])
      expect(stderr.replaceAll(saidByLmdb, '')).toBe('')
      expect(output).toContain(`"${events.up.ready}"`)
    },
    240_000,
  )
})
