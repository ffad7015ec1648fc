import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pacedTransport } from './paced-transport.ts'
import type { RpcCall, RpcTransport } from './rpc-transport.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const options = { timeoutMs: 1_000, responseBytesMax: 1_000 }
const calls = (count: number): RpcCall[] =>
  Array.from({ length: count }, () => ({ method: 'eth_call', params: [] }))

/** Times at which requests are sent, in ms. */
function recorded() {
  const sentAt: number[] = []
  const start = performance.now()
  const transport: RpcTransport = {
    async send(batch) {
      sentAt.push(Math.round(performance.now() - start))
      return batch.map(() => ({ result: '0x' }))
    },
    close() {},
  }
  return { transport, sentAt }
}

test('a batch counts with all its calls', async () => {
  const { transport, sentAt } = recorded()
  const paced = pacedTransport(transport, 10)
  const sent = [5, 1, 20, 1].map((count) => paced.send(calls(count), options))
  await vi.advanceTimersByTimeAsync(10_000)
  expect((await Promise.all(sent)).map((answers) => answers.length)).toEqual([5, 1, 20, 1])
  expect(sentAt).toEqual([0, 500, 600, 2_600])
})

test('time without calls is not saved up', async () => {
  const { transport, sentAt } = recorded()
  const paced = pacedTransport(transport, 10)
  await paced.send(calls(1), options)
  await vi.advanceTimersByTimeAsync(5_000)
  const sent = [1, 1].map((count) => paced.send(calls(count), options))
  await vi.advanceTimersByTimeAsync(1_000)
  await Promise.all(sent)
  expect(sentAt).toEqual([0, 5_000, 5_100])
})

test('closing ends the wait', async () => {
  const { transport, sentAt } = recorded()
  const paced = pacedTransport(transport, 1)
  const sent = [100, 1].map((count) => paced.send(calls(count), options))
  await vi.advanceTimersByTimeAsync(1)
  paced.close()
  await Promise.all(sent)
  expect(sentAt).toEqual([0, 1])
})
