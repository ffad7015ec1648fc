import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'
import { events } from '../../libs/signals/events.ts'
import { runFoldscan } from '../services/run-foldscan.ts'
import { endAll, freshFolder, mainnet, type Running, startCommand } from './running.ts'

const added = z.object({ name: z.string(), limit: z.number(), key: z.string() })
const dataDir = join(freshFolder(), 'data')

const up = () => {
  const flags = { port: '0', 'data-dir': dataDir, source: mainnet, 'limit-requests': '20' }
  return startCommand('up', flags, { FOLDSCAN_LIMITS: 'true' })
}
const keys = (...words: readonly string[]) =>
  runFoldscan(['keys', ...words, '--into-data-dir', dataDir])

async function stop(running: Running) {
  running.kill('SIGTERM')
  expect(await running.exited).toMatchObject({ code: 0 })
}

afterAll(endAll)

it('adds and revokes keys of a stopped foldscan, which then limits by them', async () => {
  const limitOf = async (running: Running, key: string) => {
    const response = await fetch(`${await running.origin()}/docs`, {
      headers: { 'x-api-key': key },
    })
    return ['x-ratelimit-limit', 'x-api-key-status'].map((name) => response.headers.get(name))
  }
  const first = up()
  await first.logged(events.up.ready)
  const early = await keys('add', 'wallet')
  expect(early).toMatchObject({ code: 1, stdout: '' })
  expect(early.stderr).toContain(`is used by another Foldscan, process ${first.pid}`)
  await stop(first)

  const printed = await keys('add', 'wallet', '--key-limit', '50', '--json')
  expect(printed, printed.stderr).toMatchObject({ code: 0 })
  const { key } = added.parse(JSON.parse(printed.stdout))
  const other = await keys('add', 'other')
  expect(other.stdout).toMatch(/^\S+\n$/)
  expect(other.stderr).toContain('added the key other: ')
  await keys('revoke', 'other')
  expect((await keys('list')).stdout).toMatch(/^name +limit +added\nwallet +50 +20/)
  expect(await keys('add', 'wallet')).toMatchObject({ code: 1, stdout: '' })

  const second = up()
  await second.logged(events.up.ready)
  expect(await limitOf(second, key)).toEqual(['50', null])
  await stop(second)

  expect(await keys('revoke', 'wallet')).toMatchObject({ code: 0 })
  expect(await keys('list')).toMatchObject({ code: 0, stdout: 'no keys\n' })
  const third = up()
  await third.logged(events.up.ready)
  expect(await limitOf(third, key)).toEqual(['20', 'unknown'])
  await stop(third)
})

it('refuses a folder that no foldscan has used', async () => {
  const none = join(freshFolder(), 'none')
  const refused = await runFoldscan(['keys', 'list', '--into-data-dir', none])
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('none of --into-data-dir holds no log')
})
