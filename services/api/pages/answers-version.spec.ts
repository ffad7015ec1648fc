import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { answersVersion, packageVersions, versionOfSources } from './answers-version.ts'

const top = fileURLToPath(new URL('../../../', import.meta.url))
const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true })
})

/** The folders of a checkout, or of an image: `libs` and `services` beside `node_modules`. */
function copied(): { module: string; change: (file: string) => void } {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-answers-'))
  made.push(folder)
  for (const part of [
    'libs/chain',
    'libs/tables',
    'libs/topics',
    'services/api/response',
    'services/api/pages',
  ]) {
    cpSync(join(top, part), join(folder, part), { recursive: true })
  }
  for (const part of ['libs/presenters', 'libs/queries', 'endpoints', 'rows']) {
    const path = part.startsWith('libs') ? part : `services/api/${part}`
    mkdirSync(join(folder, path), { recursive: true })
  }
  const change = (file: string) => {
    expect(existsSync(dirname(join(folder, file)))).toBe(true)
    writeFileSync(join(folder, file), '// changed\n')
  }
  return { module: `file://${folder}/services/api/pages/answers-version.js`, change }
}

test('names the version of each package whose code decides bytes', () => {
  const versions = packageVersions(import.meta.url)
  expect(versions).toHaveLength(4)
  for (const one of versions) expect(one).toMatch(/^[a-z-]+ \d+\.\d+\.\d+/)
  expect(answersVersion()).toBe(answersVersion())
})

test.each([
  'libs/tables/declare/row-binary.ts',
  'libs/tables/tables/balances.ts',
  'libs/topics/changes.ts',
  'libs/topics/changes.js',
  'libs/chain/hex.js',
  'services/api/response/splices.ts',
  'services/api/render-page.ts',
  'services/api/pages/page.ts',
])('differs where %s differs', (file) => {
  const { module, change } = copied()
  const before = versionOfSources(module)
  change(file)
  expect(versionOfSources(module)).not.toBe(before)
})

test.each([
  'libs/topics/blocks.ts',
  'libs/tables/declare/table.spec.ts',
  'services/api/response/compressor.ts',
  'services/api/pages/page-loads.ts',
])('does not with %s', (file) => {
  const { module, change } = copied()
  const before = versionOfSources(module)
  change(file)
  expect(versionOfSources(module)).toBe(before)
})
