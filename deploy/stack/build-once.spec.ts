import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { buildOnce } from './build-once.ts'

let home: string
let folder: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'foldscan-build-once-'))
  folder = join(home, 'within', 'built')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const written = () => readFileSync(join(folder, 'file'), 'utf8')
const entries = () => readdirSync(join(home, 'within'))

it('is built once for callers of the same time, who all wait for it', async () => {
  let builds = 0
  const build = async (own: string) => {
    builds += 1
    await setImmediate()
    writeFileSync(join(own, 'file'), String(builds))
  }
  const contents = () => buildOnce(folder, build).then(written)
  expect(await Promise.all([contents(), contents()])).toEqual(['1', '1'])
  expect(await contents()).toBe('1')
  expect(builds).toBe(1)
})

it('takes what another process has built first, and leaves nothing of its own', async () => {
  await buildOnce(folder, async (own) => {
    writeFileSync(join(own, 'file'), 'late')
    await buildOnce(`${folder}-of-other`, async (other) =>
      writeFileSync(join(other, 'file'), 'first'),
    )
    // As another process renames it.
    renameSync(`${folder}-of-other`, folder)
  })
  expect(written()).toBe('first')
  expect(entries()).toEqual(['built'])
})

it('rejects as the build does, leaves nothing, and builds when asked again', async () => {
  const failing = buildOnce(folder, async (own) => {
    writeFileSync(join(own, 'file'), 'half')
    throw new Error('no network')
  })
  await expect(failing).rejects.toThrow('no network')
  expect(entries()).toEqual([])
  await buildOnce(folder, async (own) => writeFileSync(join(own, 'file'), 'again'))
  expect(written()).toBe('again')
})
