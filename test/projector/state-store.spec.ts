import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import { memoryStateStore } from '../../libs/adapters/memory/memory-state-store.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'

const bytes = (hex: string) => Buffer.from(hex, 'hex')
const entry = (key: string, value: string) => [bytes(key), bytes(value)] as const

let folder: string
let state: StateStore
const scanned = (prefix: string, countMax = 100) =>
  [...state.scan(bytes(prefix), countMax)].map(
    ({ key, value }) => `${key.toString('hex')}=${value.toString('hex')}`,
  )

describe.each([
  ['in memory', () => memoryStateStore()],
  ['in LMDB', () => lmdbStateStore({ folder })],
])('a state store %s', (_name, make) => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'foldscan-state-'))
    state = make()
  })
  afterEach(async () => {
    await state.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('gives back what was written, and nothing for what was not', async () => {
    await state.commit([entry('0001', 'ff00'), entry('00', '')])
    expect(state.get(bytes('0001'))).toEqual(bytes('ff00'))
    expect(state.get(bytes('00'))).toEqual(bytes(''))
    expect(state.get(bytes('0002'))).toBeUndefined()
  })

  test('replaces a value, and removes a key whose value is null', async () => {
    await state.commit([entry('01', '01'), entry('02', '02')])
    await state.commit([entry('01', '03'), [bytes('02'), null], [bytes('09'), null]])
    expect(scanned('')).toEqual(['01=03'])
  })

  test('takes the last of two writes to a key in one commit', async () => {
    await state.commit([entry('01', '01'), [bytes('01'), null], entry('01', '05')])
    expect(state.get(bytes('01'))).toEqual(bytes('05'))
  })

  test('scans the keys of a prefix, ascending, at most as many as asked for', async () => {
    await state.commit([entry('0a', '01'), entry('0aff', '04'), entry('0a00', '02')])
    await state.commit([entry('0a0001', '03'), entry('0b', '05'), entry('09ff', '06')])
    expect(scanned('0a')).toEqual(['0a=01', '0a00=02', '0a0001=03', '0aff=04'])
    expect(scanned('0a', 2)).toEqual(['0a=01', '0a00=02'])
    expect(scanned('0c')).toEqual([])
  })

  test('gives values that later reads and writes leave alone', async () => {
    await state.commit([entry('01', 'aaaa'), entry('02', 'bbbb')])
    const early = state.get(bytes('01'))
    state.get(bytes('02'))
    await state.commit([entry('01', 'cccc')])
    state.get(bytes('01'))
    expect(early).toEqual(bytes('aaaa'))
  })

  test('refuses a commit with an impossible key as a whole, and works on', async () => {
    if (make().constructor.name.startsWith('Memory')) return
    const long = Buffer.alloc(4000)
    await expect(state.commit([entry('01', '01'), [long, bytes('02')]])).rejects.toThrow('4000')
    expect(state.get(bytes('01'))).toBeUndefined()
    await state.commit([entry('01', '07')])
    expect(state.get(bytes('01'))).toEqual(bytes('07'))
  })
})

test('a state store in LMDB holds what was written when it is opened again', async () => {
  folder = mkdtempSync(join(tmpdir(), 'foldscan-state-'))
  const before = lmdbStateStore({ folder })
  await before.commit([entry('01', '02')])
  await before.close()
  const after = lmdbStateStore({ folder })
  expect(after.get(bytes('01'))).toEqual(bytes('02'))
  await after.close()
  rmSync(folder, { recursive: true, force: true })
})
