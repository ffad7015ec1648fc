import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import { stateStoreLaws } from '../../libs/ports/testing/state-store-laws.ts'

const newFolder = () => mkdtempSync(join(tmpdir(), 'foldscan-state-'))
const removed = (folder: string) => rmSync(folder, { recursive: true, force: true })

stateStoreLaws('in LMDB', () => {
  const folder = newFolder()
  return { open: () => lmdbStateStore({ folder }), remove: () => removed(folder) }
})

test('a state store in LMDB refuses a commit with an impossible key as a whole, and works on', async () => {
  const folder = newFolder()
  const state = lmdbStateStore({ folder })
  const [one, other] = [Buffer.from([1]), Buffer.from([7])]
  for (const key of [Buffer.alloc(4000), Buffer.alloc(0), Buffer.from('\0fence')]) {
    await expect(
      state.commit([
        [one, one],
        [key, other],
      ]),
    ).rejects.toThrow('a state key')
  }
  expect(state.get(one)).toBeUndefined()
  await state.commit([[one, other]])
  expect(state.get(one)).toEqual(other)
  await state.close()
  removed(folder)
})
