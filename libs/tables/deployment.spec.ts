import { expect, test } from 'vitest'
import type { Store } from '../ports/store.ts'
import { RowSink } from './declare/row-binary.ts'
import { claimDeployment } from './deployment.ts'

/**
 * A majority of three servers has acknowledged the insert; the third one answers the reads, and has
 * it at the n-th.
 */
function behindUntil(n: number) {
  let isWritten = false
  let reads = 0
  const row = new RowSink()
  row.text('id')
  row.uint64(7)
  const store: Pick<Store, 'query' | 'insert'> = {
    async query(_sql, _parameters, options) {
      if (isWritten) reads += 1
      const result = reads < n ? Buffer.alloc(0) : Buffer.from(row.bytes())
      await options?.countRows?.(result)
      return result
    },
    async insert() {
      isWritten = true
    },
  }
  return { store, reads: () => reads }
}

test('a claim is read again from a replica that does not have it yet', async () => {
  const { store, reads } = behindUntil(3)
  expect(await claimDeployment(store, 7, 0)).toEqual({ id: 'id', chainId: 7 })
  expect(reads()).toBe(3)
})

test('and not for ever', async () => {
  const { store, reads } = behindUntil(Number.POSITIVE_INFINITY)
  await expect(claimDeployment(store, 7, 0)).rejects.toThrow('is behind; run the command again')
  expect(reads()).toBe(30)
})
