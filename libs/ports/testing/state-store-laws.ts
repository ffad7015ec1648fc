import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Fenced, type StateStore } from '../state-store.ts'

export interface StateStoreBed {
  /** Opens the same volume, again and again. */
  readonly open: () => StateStore
  /** Called when all are closed. */
  readonly remove: () => void
}

const bytes = (hex: string) => Buffer.from(hex, 'hex')
const entry = (key: string, value: string) => [bytes(key), bytes(value)] as const

/** What every adapter of the port does. `make` gives a new, empty volume. */
export function stateStoreLaws(name: string, make: () => StateStoreBed): void {
  let opened: StateStore[]
  let bed: StateStoreBed
  let state: StateStore
  const open = () => {
    const one = bed.open()
    opened.push(one)
    return one
  }
  const scanned = (prefix: string, countMax = 100, of = state) =>
    [...of.scan(bytes(prefix), countMax)].map(
      ({ key, value }) => `${key.toString('hex')}=${value.toString('hex')}`,
    )

  beforeEach(() => {
    opened = []
    bed = make()
    state = open()
  })
  afterEach(async () => {
    for (const one of opened) await one.close()
    bed.remove()
  })

  describe(`a state store ${name}`, () => {
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

    test('makes staged writes with the next commit, before its own and in their order', async () => {
      await state.commit([entry('01', '01'), entry('02', '02')])
      await state.stage([entry('01', '03'), entry('03', '03'), [bytes('02'), null]])
      await state.stage([entry('03', '04')])
      expect(scanned('')).toEqual(['01=01', '02=02'])
      expect(state.get(bytes('03'))).toBeUndefined()
      await state.commit([entry('04', '04'), entry('01', '05')])
      const committed = ['01=05', '03=04', '04=04']
      expect(scanned('')).toEqual(committed)
      await state.commit([entry('05', '05')])
      expect(scanned('', 100, open())).toEqual([...committed, '05=05'])
    })

    test('discards staged writes that no commit followed', async () => {
      await state.commit([entry('01', '01')])
      await state.stage([entry('01', '02')])
      const next = open()
      await next.commit([entry('02', '02')])
      expect(scanned('', 100, next)).toEqual(['01=01', '02=02'])
    })

    test('forgets staged writes when told to', async () => {
      await state.stage([entry('01', '02')])
      await state.discardStaged()
      await state.commit([entry('02', '02')])
      expect(scanned('')).toEqual(['02=02'])
    })

    test('has a scratch of its own, which begins empty', async () => {
      const scratch = state.scratch()
      await scratch.put([entry('0102', 'aa'), entry('0101', 'bb'), entry('0201', 'cc')])
      await scratch.put([entry('0103', 'dd'), entry('0101', 'ee')])
      expect(scratch.get(bytes('0101'))).toEqual(bytes('ee'))
      expect(scratch.get(bytes('0109'))).toBeUndefined()
      const keysAfter = (key: string | null, countMax: number) =>
        scratch
          .after(bytes('01'), key === null ? null : bytes(key), countMax)
          .map(([found]) => found.toString('hex'))
      expect(keysAfter(null, 2)).toEqual(['0101', '0102'])
      expect(keysAfter('0102', 9)).toEqual(['0103'])
      expect(keysAfter('0103', 9)).toEqual([])
      expect(scanned('')).toEqual([])
      await scratch.close()
      const again = state.scratch()
      expect(again.after(bytes('01'), null, 9)).toEqual([])
      await again.close()
    })

    test('scans the keys of a prefix, ascending, at most as many as asked for', async () => {
      await state.commit([entry('0a', '01'), entry('0aff', '04'), entry('0a00', '02')])
      await state.commit([entry('0a0001', '03'), entry('0b', '05'), entry('09ff', '06')])
      expect(scanned('0a')).toEqual(['0a=01', '0a00=02', '0a0001=03', '0aff=04'])
      expect(scanned('0a', 2)).toEqual(['0a=01', '0a00=02'])
      expect(scanned('0c')).toEqual([])
      const from = (start: string, countMax: number) =>
        [...state.scan(bytes('0a'), countMax, bytes(start))].map(({ key }) => key.toString('hex'))
      expect(from('0a00', 2)).toEqual(['0a00', '0a0001'])
      expect(from('0a01', 2)).toEqual(['0aff'])
      expect(from('0b', 2)).toEqual([])
    })

    test('gives values that later reads and writes leave alone', async () => {
      await state.commit([entry('01', 'aaaa'), entry('02', 'bbbb')])
      const early = state.get(bytes('01'))
      state.get(bytes('02'))
      await state.commit([entry('01', 'cccc')])
      state.get(bytes('01'))
      expect(early).toEqual(bytes('aaaa'))
    })

    test('holds what was written when it is opened again', async () => {
      await state.commit([entry('01', '02')])
      await state.close()
      expect(open().get(bytes('01'))).toEqual(bytes('02'))
    })

    test('belongs to who opened it last: no commit of those before is done', async () => {
      await state.commit([entry('01', '01')])
      const later = open()
      const commits = [entry('01', '02'), entry('02', '02')].map((write) => state.commit([write]))
      for (const commit of commits) await expect(commit).rejects.toBeInstanceOf(Fenced)
      await expect(state.commit([[bytes('01'), null]])).rejects.toBeInstanceOf(Fenced)
      await later.commit([entry('03', '03')])
      expect(scanned('', 100, later)).toEqual(['01=01', '03=03'])
    })

    test('reports to earlier writers, once they read, that others may have written', async () => {
      state.assertHeld()
      const later = open()
      later.assertHeld()
      await later.commit([entry('01', '01')])
      expect(() => state.assertHeld()).toThrow(Fenced)
      later.assertHeld()
    })
  })
}
