import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { events } from '../../libs/signals/events.ts'
import { endAll, mainnet, startUp, top } from './running.ts'

const biome = join(top, 'node_modules', '.bin', 'biome')
/** Where people put one: beside the sources, and among them. */
const folders = [top, join(top, 'test')].map((place) => mkdtempSync(join(place, 'recorded-')))
/** It holds a file of its owner, so it may be a project of its own. */
const usedBefore = mkdtempSync(join(top, 'recorded-'))
folders.push(usedBefore)

beforeAll(async () => {
  writeFileSync(join(usedBefore, 'notes.txt'), 'mine\n')
  for (const folder of folders) {
    const running = startUp({ source: mainnet, 'data-dir': folder })
    await running.logged(events.up.ready)
    running.kill('SIGTERM')
    expect(await running.exited).toMatchObject({ code: 0 })
  }
})
afterAll(() => {
  endAll()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** JSON of the engine: a formatter that rewrites one damages its table. */
const tableFiles = () =>
  folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('serialization.json'))
      .map((path) => join(folder, path)),
  )

describe('a data folder inside of the project', () => {
  const untracked = (folder: string) =>
    execFileSync('git', ['status', '--porcelain', '--untracked-files=all', folder], {
      encoding: 'utf8',
    })

  it.each(folders.filter((folder) => folder !== usedBefore))(
    'is not seen by git (%#)',
    (folder) => {
      expect(untracked(folder)).toBe('')
    },
  )

  it('hides its tables from git where it held files before, and not those files', () => {
    expect(untracked(usedBefore)).toContain('notes.txt')
    expect(untracked(join(usedBefore, 'engine'))).toBe('')
  })

  it('is not seen by the formatter, which would damage the tables', async () => {
    expect(tableFiles().length).toBeGreaterThan(folders.length)
    const words = ['check', '--reporter=summary', '--max-diagnostics=none', '.']
    const checked = await promisify(execFile)(biome, words, { cwd: top }).catch((error) => error)
    const report = `${checked.stdout}${checked.stderr}`
    expect(report).toMatch(/^Checked \d+ files/m)
    expect(report).not.toContain('recorded-')
  })
})

describe('the project', () => {
  it('has a lint that changes nothing, and a format that does', () => {
    const { scripts } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'))
    expect(scripts.lint).not.toContain('--write')
    expect(scripts.format).toContain('--write')
  })

  it('formats every folder of its sources, and no other', () => {
    const { files } = JSON.parse(readFileSync(join(top, 'biome.json'), 'utf8'))
    const included: readonly string[] = files.includes
    const tracked = execFileSync('git', ['ls-files', '*.ts', '*.mjs'], {
      cwd: top,
      encoding: 'utf8',
    })
    const tops = new Set(
      tracked.split('\n').flatMap((path) => path.split('/').slice(0, -1)[0] ?? []),
    )
    for (const folder of tops) expect(included).toContain(`${folder}/**`)
    expect(included).not.toContain('**')
  })
})
