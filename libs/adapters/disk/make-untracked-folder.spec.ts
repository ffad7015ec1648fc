import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeUntrackedFolder } from './make-untracked-folder.ts'

const top = mkdtempSync(join(tmpdir(), 'foldscan-untracked-'))
afterAll(() => rmSync(top, { recursive: true }))

const ignored = (folder: string) => readFileSync(join(folder, '.gitignore'), 'utf8')

describe('a folder for files of a program', () => {
  it('is made with those above it, and ignores all in it', () => {
    const folder = join(top, 'new', 'inner')
    makeUntrackedFolder(folder, { mode: 0o700 })
    expect(ignored(folder)).toMatch(/^\*$/m)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(existsSync(join(top, 'new', '.gitignore'))).toBe(false)
  })

  it('may be there before, and keeps what it holds', () => {
    const folder = join(top, 'again')
    makeUntrackedFolder(folder)
    writeFileSync(join(folder, 'lock'), '')
    writeFileSync(join(folder, '.gitignore'), 'changed')
    makeUntrackedFolder(folder)
    expect(ignored(folder)).toBe('changed')
  })

  it('gets no file if it held something before: it may be a home, or a project', () => {
    writeFileSync(join(top, 'notes'), '')
    makeUntrackedFolder(top)
    expect(existsSync(join(top, '.gitignore'))).toBe(false)
  })
})
