import { afterEach, expect, test, vi } from 'vitest'
import { aBalance, anAddress } from '../../../libs/presenters/testing/rows.ts'
import { testApi } from '../testing/test-api.ts'
import { Compressor } from './compressor.ts'

const rejections: unknown[] = []
const onRejection = (reason: unknown) => void rejections.push(reason)
process.on('unhandledRejection', onRejection)
afterEach(() => {
  vi.restoreAllMocks()
  process.off('unhandledRejection', onRejection)
})

const tokens = `/api/v2/addresses/${anAddress(0xa1)}/tokens`

test('a page that cannot be compressed is answered 500, also from memory, and ends nothing', async () => {
  vi.spyOn(Compressor.prototype, 'gzip').mockImplementation(async () => {
    throw new Error('out of memory')
  })
  const balances = Array.from({ length: 40 }, (_, at) => aBalance({ token: anAddress(at + 1) }))
  const { ask } = testApi({ balancesOfAddress: async () => balances })
  const gzip = { headers: { 'accept-encoding': 'gzip' } }
  expect((await ask(tokens)).status).toBe(200)
  expect((await ask(tokens, gzip)).status).toBe(500)
  await new Promise((resolve) => setImmediate(resolve))
  expect(rejections).toEqual([])
  expect((await ask(tokens)).status).toBe(200)
})
