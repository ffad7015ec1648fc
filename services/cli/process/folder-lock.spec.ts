import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { availableBytes, isAlive, lockFolder, processIdentity } from './folder-lock.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'foldscan-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const lock = () => join(folder, 'lock')

describe('the lock of a data folder', () => {
  it('is refused while its holder lives, and the holder is named', () => {
    lockFolder(folder)
    expect(() => lockFolder(folder)).toThrow(`process ${process.pid}`)
  })

  it('can be taken again once it was given free', () => {
    lockFolder(folder)()
    expect(readdirSync(folder)).toEqual([])
    lockFolder(folder)
  })

  it('is taken over from a process that is gone', () => {
    writeFileSync(lock(), JSON.stringify({ pid: 4_194_305, began: '1@dead' }))
    lockFolder(folder)
    expect(JSON.parse(readFileSync(lock(), 'utf8')).pid).toBe(process.pid)
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it('is taken over from a dead process whose number another one bears now', () => {
    writeFileSync(lock(), JSON.stringify({ pid: process.pid, began: '1@before-the-last-boot' }))
    expect(() => lockFolder(folder)).not.toThrow()
  })

  it('is taken over when it holds no lock at all', () => {
    writeFileSync(lock(), 'half a lo')
    expect(() => lockFolder(folder)).not.toThrow()
  })

  it('leaves the lock of another process alone when it is given free late', () => {
    const free = lockFolder(folder)
    const other = JSON.stringify({ pid: process.ppid, began: 'later' })
    writeFileSync(lock(), other)
    free()
    expect(readFileSync(lock(), 'utf8')).toBe(other)
  })
})

describe('the identity of a process', () => {
  it('is the same each time it is asked', () => {
    const own = processIdentity(process.pid)
    expect(own && isAlive(own)).toBe(true)
  })

  it('is none for a process that does not exist', () => {
    expect(processIdentity(4_194_305)).toBeNull()
  })
})

it('the space that a volume has left is counted in bytes, without what only root may use', () => {
  const { bavail, blocks, bsize } = statfsSync(folder)
  const left = availableBytes(folder)
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThanOrEqual(blocks * bsize)
  expect(Math.abs(left - bavail * bsize)).toBeLessThan(blocks * bsize * 0.1)
})
