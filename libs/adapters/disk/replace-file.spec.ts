import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { replaceFile } from './replace-file.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'foldscan-replaced-'))
  file = join(folder, 'owner')
})
afterEach(() => rmSync(folder, { recursive: true }))

const content = () => readFileSync(file, 'utf8')

describe('a file that is replaced', () => {
  it('has the new content, and nothing is left beside it', () => {
    replaceFile(file, 'older and longer')
    replaceFile(file, 'newer')
    expect(content()).toBe('newer')
    expect(readdirSync(folder)).toEqual(['owner'])
  })

  it('keeps the older content where the newer cannot be written', () => {
    replaceFile(file, 'older')
    mkdirSync(`${file}.new`)
    expect(() => replaceFile(file, 'newer')).toThrow('EISDIR')
    expect(content()).toBe('older')
  })

  it('is written over what a killed process left', () => {
    writeFileSync(`${file}.new`, 'a part that is longer than the whole')
    replaceFile(file, 'newer')
    expect(content()).toBe('newer')
    expect(readdirSync(folder)).toEqual(['owner'])
  })
})
