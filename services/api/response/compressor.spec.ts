import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { Compressor } from './compressor.ts'

const contentOf = (text: string) => ({ body: Buffer.from(text) })

async function uncompressed(metrics: ReturnType<typeof startMetrics>): Promise<number> {
  const { values } = await metrics.uncompressedResponses.get()
  return values.reduce((sum, { value }) => sum + value, 0)
}

test('compresses a content once, also for those who ask while it is compressed', async () => {
  const compressor = new Compressor({ metrics: startMetrics() })
  const content = contentOf('x'.repeat(10_000))
  const [one, other] = await Promise.all([compressor.gzip(content), compressor.gzip(content)])
  expect(other).toBe(one)
  expect(await compressor.gzip(content)).toBe(one)
  expect(gunzipSync(one ?? '')).toEqual(content.body)
  expect(await compressor.gzip(contentOf('x'.repeat(10_000)))).not.toBe(one)
})

test('leaves bodies as they are, and counts them, where too many bytes wait already', async () => {
  const metrics = startMetrics()
  const compressor = new Compressor({ metrics, waitingBytesMax: 25_000 })
  const [first, second, third] = ['a', 'b', 'c'].map((text) => contentOf(text.repeat(10_000)))
  if (first === undefined || second === undefined || third === undefined) throw new Error()
  const making = [compressor.gzip(first), compressor.gzip(second)]
  expect(compressor.gzip(third)).toBeNull()
  expect(await uncompressed(metrics)).toBe(1)
  await Promise.all(making)
  expect(compressor.gzip(third)).not.toBeNull()
})
