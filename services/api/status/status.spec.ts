import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ResponseStream } from '../../../libs/ports/http.ts'
import { type LogFields, silentLog } from '../../../libs/signals/log.ts'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import { HeadOfGroups } from '../clock/follow-changes.ts'
import { NewestBlocks } from './newest-blocks.ts'
import { Status } from './status.ts'

function bed() {
  const lines: LogFields[] = []
  const metrics = startMetrics()
  const status = new Status({
    ...{ head: new HeadOfGroups(), newest: new NewestBlocks(), chainId: 1, hasRedis: false },
    store: { query: () => Promise.reject(new Error('no table')) },
    log: { ...silentLog, error: (fields) => void lines.push(fields) },
    metrics,
    limits: { everyMs: 3_600_000 },
  })
  const seen: Record<string, unknown> = {}
  const stream: ResponseStream = {
    send: (chunk) =>
      Object.assign(seen, JSON.parse(chunk.toString().slice('data: '.length))) && true,
    end() {},
    onEnd() {},
  }
  return { status, metrics, lines, seen, open: () => status.streams.begin('one')(stream) }
}

test('counts go on after one that failed, and the page is shown all the same', async () => {
  const { status, metrics, lines, seen, open } = bed()
  metrics.requests.get = () => Promise.reject(new Error('planted'))
  const stopping = new AbortController()
  const counting = status.keepCounting(stopping.signal)
  while (lines.length === 0) await turn()
  open()
  expect(seen).toMatchObject({ head: null, rates: { measured: 0 } })
  stopping.abort()
  await counting
  expect(lines).toHaveLength(1)
})

test('looks for examples while somebody watches, and shows only what a link needs', async () => {
  const { status, seen, open } = bed()
  const calls: string[] = []
  status.findExamples(async () => {
    calls.push('asked')
    return [{ what: 'a token', path: '/api/v2/tokens/0x1', subject: '0x1' }]
  })
  await turn()
  expect(calls).toEqual([])
  open()
  await turn()
  status.streams.tick()
  expect(calls).toEqual(['asked'])
  expect(seen.examples).toEqual([{ what: 'a token', path: '/api/v2/tokens/0x1' }])
})
