import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { silentLog } from '../../signals/log.ts'
import { HeadWatch } from './head-watch.ts'
import { RpcClient } from './transport/rpc-client.ts'
import { type OnHead, RpcError, rpcLimits } from './transport/rpc-transport.ts'

const limits = { ...rpcLimits, pollIntervalMs: 1_000, subscribedPollIntervalMs: 15_000 }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Looks at the head again and again. `subscribe` is what the node does at each subscription. */
function watching(subscribe: (onHead: OnHead) => void) {
  const counts = { looks: 0, subscriptions: 0 }
  const transport = {
    send: async () => [],
    async subscribeHeads(onHead: OnHead) {
      counts.subscriptions++
      subscribe(onHead)
    },
    close() {},
  }
  const client = new RpcClient(transport, limits, { log: silentLog })
  const watch = new HeadWatch(client, limits, silentLog)
  const end = new AbortController()
  const looking = async () => {
    while (!end.signal.aborted) {
      counts.looks++
      await watch.tick(end.signal)
    }
  }
  const done = looking()
  return {
    counts,
    async stop() {
      end.abort()
      await done
    },
  }
}

it('polls a node without subscriptions', async () => {
  const { counts, stop } = watching(() => {
    throw new RpcError('eth_subscribe', { code: -32601, message: 'no' })
  })
  await vi.advanceTimersByTimeAsync(10_200)
  expect(counts).toEqual({ looks: 11, subscriptions: 1 })
  await stop()
})

it('looks when a head is announced, and now and then without', async () => {
  let announce: OnHead = () => {}
  const { counts, stop } = watching((onHead) => {
    announce = onHead
  })
  await vi.advanceTimersByTimeAsync(1_000)
  announce(false)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(counts.looks).toBe(2)
  await vi.advanceTimersByTimeAsync(15_100)
  expect(counts).toEqual({ looks: 3, subscriptions: 1 })
  await stop()
})

it('polls a node that ends each connection, and subscribes no more often', async () => {
  const { counts, stop } = watching((onHead) => {
    setTimeout(() => onHead(true), 1)
  })
  await vi.advanceTimersByTimeAsync(10_000)
  // A lost connection is looked at once, and polled after.
  expect(counts.looks).toBeLessThanOrEqual(11)
  expect(counts.subscriptions).toBeLessThanOrEqual(11)
  await stop()
})

it('looks a bounded number of times at a node that announces heads without end', async () => {
  const { counts, stop } = watching((onHead) => {
    setInterval(() => onHead(false), 1)
  })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(counts.looks).toBeGreaterThan(10)
  expect(counts.looks).toBeLessThanOrEqual(1_000 / limits.headIntervalMinMs + 1)
  await stop()
})
