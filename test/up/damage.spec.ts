import { cpSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { events } from '../../libs/signals/events.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { groupId } from '../../libs/tables/declare/group-versions.ts'
import { endAll, freshFolder, mainnet, startUp } from './running.ts'

const whole = freshFolder()
const flags = { source: mainnet }

beforeAll(async () => {
  const running = startUp({ ...flags, 'data-dir': whole })
  await running.logged(events.up.ready)
  running.kill('SIGTERM')
  expect((await running.exited).code).toBe(0)
})
afterAll(() => {
  endAll()
  rmSync(whole, { recursive: true, force: true })
})

/** The largest file below a folder: rows, not names. */
function largest(folder: string, ending: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => join(folder, path))
    .sort((one, other) => statSync(other).size - statSync(one).size)
  return files[0] ?? ''
}

/** Damages a copy, starts on it, and returns its fatal sentence. */
async function complaintAfter(damage: (folder: string) => void): Promise<string> {
  const folder = freshFolder()
  cpSync(whole, folder, { recursive: true })
  damage(folder)
  const { code, reason } = await startUp({ ...flags, 'data-dir': folder }).exited
  rmSync(folder, { recursive: true })
  expect(code).toBe(1)
  expect(reason).toMatch(/^[^\n]+[.]$/)
  return reason
}

describe('foldscan up names a damaged part of its folder', () => {
  const files = [
    ['log', 'log.lmdb'],
    [groupId('state'), 'state.lmdb'],
  ] as const

  it.each(files)('when the file in %s is cut short', async (name, file) => {
    const complaint = await complaintAfter((folder) => {
      const path = largest(join(folder, name), '.lmdb')
      truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096)
    })
    expect(complaint).toContain(join(name, file))
  })

  it.each(files)('when the file in %s is no such file', async (name) => {
    const complaint = await complaintAfter((folder) => {
      writeFileSync(largest(join(folder, name), '.lmdb'), 'x'.repeat(65_536))
    })
    expect(complaint).toContain('.lmdb')
  })

  it('when rows of a table are cut short', async () => {
    const complaint = await complaintAfter((folder) => {
      truncateSync(largest(join(folder, 'engine', 'data', 'store'), '.bin'), 100)
    })
    expect(complaint).toMatch(
      /the tables in the folder .*engine are damaged, rows are missing from/i,
    )
    expect(complaint).toContain('remove it and start again')
    expect(complaint).toContain(runbooks.corruptFolder)
  })
})
