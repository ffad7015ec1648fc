import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { stripTypes } from '../support/strip-types.ts'

/** Appends until it cannot, in a process that may write files of 2 MB at most. */
const script = `
  import { randomBytes } from 'node:crypto'
  import { lmdbEventLog } from './libs/adapters/lmdb/lmdb-event-log.ts'
  const log = lmdbEventLog({ folder: process.argv[1] })
  const append = () => log.append('blocks', [{ key: '1', value: randomBytes(50_000) }])
  let appended = 0
  const said = []
  for (let at = 0; at < 60; at++) {
    await append().then(() => { appended += 1 }, (error) => said.push(error.message))
  }
  await log.close()
  process.stdout.write(JSON.stringify({ appended, said }))
`

test('a log that cannot be written any more reports it, and holds all that it acknowledged', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-full-'))
  const limited = ['-c', 'ulimit -f 2000; exec "$@"', 'bash']
  const node = [process.execPath, ...stripTypes, '--input-type=module', '-e', script]
  const output = execFileSync('bash', [...limited, ...node, folder], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const { appended, said } = JSON.parse(output)
  expect(appended).toBeGreaterThan(10)
  expect(new Set(said)).toEqual(new Set([expect.stringContaining(`${folder}/log.lmdb cannot be`)]))
  const eventLog = lmdbEventLog({ folder })
  const limit = { messagesMax: 100, bytesMax: 100_000_000 }
  expect(await eventLog.read('blocks', 0, limit)).toHaveLength(appended)
  await eventLog.append('blocks', [{ key: '1', value: Buffer.from('room again') }])
  await eventLog.close()
  rmSync(folder, { recursive: true, force: true })
})
