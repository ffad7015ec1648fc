import { expect, test } from 'vitest'
import type { Store } from '../ports/store.ts'
import { claimDeployment } from './deployment.ts'
import { RowSink } from './row-binary.ts'

/** A majority of three servers has acknowledged the insert, and the third one answers the reads. */
test('a claim is read again from a replica that does not have it yet', async () => {
  let isWritten = false
  let reads = 0
  const row = new RowSink()
  row.text('id')
  row.uint64(7)
  const store: Pick<Store, 'query' | 'insert'> = {
    async query(_sql, _parameters, options) {
      if (isWritten) reads += 1
      const result = reads < 3 ? Buffer.alloc(0) : Buffer.from(row.bytes())
      await options?.countRows?.(result)
      return result
    },
    async insert() {
      isWritten = true
    },
  }
  expect(await claimDeployment(store, 7)).toEqual({ id: 'id', chainId: 7 })
  expect(reads).toBe(3)
})
