import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { openApiOf } from '../../../libs/presenters/open-api/open-api.ts'
import { silentLog } from '../../../libs/signals/log.ts'
import { routes } from '../endpoints/routes.ts'
import type { ExamplePage } from '../examples/example-pages.ts'
import type { Content } from '../response/responses.ts'
import { contentOf, DocsDocument } from './docs-document.ts'

const openApi = openApiOf(routes, { publishedTypes: false, version: '1.2.3' })
const withoutExamples = { openApi, content: contentOf(openApi) }
const holders = '/api/v2/tokens/{address_hash}/holders'
const logs = '/api/v2/addresses/{address_hash}/logs'

const printed = z.object({
  paths: z.record(
    z.string(),
    z.object({
      get: z.object({
        parameters: z.array(z.object({ in: z.string(), example: z.string().optional() })),
      }),
    }),
  ),
})

/** The examples of paths in a document, by route. */
function examplesIn({ body }: Content): Record<string, string> {
  const { paths } = printed.parse(JSON.parse(body.toString()))
  return Object.fromEntries(
    Object.entries(paths).flatMap(([route, { get }]) =>
      get.parameters.flatMap(({ in: place, example }) =>
        example === undefined ? [] : [[place === 'path' ? route : place, example]],
      ),
    ),
  )
}

const example = (route: string, subject: string): ExamplePage => ({
  ...{ what: 'something', route, subject },
  ...{ path: route.replace(/\{\w+\}/, subject), isEmpty: false },
})

interface Moved {
  found: ExamplePage[]
  error: Error | null
  time: number
  searches: number
}

/** A document whose examples and clock a test moves. */
function moved() {
  const state: Moved = { found: [], error: null, time: 0, searches: 0 }
  const document = new DocsDocument({
    ...withoutExamples,
    log: silentLog,
    now: () => state.time,
    async findExamples() {
      state.searches += 1
      if (state.error !== null) throw state.error
      return state.found
    },
  })
  /** Long after, with the search done. */
  const later = async () => {
    state.time += 60_000
    await document.content()
    await new Promise((resolve) => setImmediate(resolve))
    return examplesIn(await document.content())
  }
  return { state, document, later }
}

test('shows no example while nothing is indexed, then those that are', async () => {
  const { state, document, later } = moved()
  expect(examplesIn(await document.content())).toEqual({})
  state.found = [{ ...example(holders, '0x01'), isEmpty: true }]
  expect(await later()).toEqual({ [holders]: '0x01' })
})

test('searches at most once in a while, however many requests come', async () => {
  const { state, document } = moved()
  state.found = [example(holders, '0x01')]
  await Promise.all(Array.from({ length: 100 }, () => document.content()))
  for (let time = 0; time < 100; time++) await document.content()
  expect(state.searches).toBe(1)
  state.time = 14_999
  await document.content()
  expect(state.searches).toBe(1)
  state.time = 15_000
  await document.content()
  expect(state.searches).toBe(2)
})

test('shows the newest, and keeps what is not found again', async () => {
  const { state, later } = moved()
  state.found = [example(holders, '0x01'), example(logs, '0x02')]
  expect(await later()).toEqual({ [holders]: '0x01', [logs]: '0x02' })
  state.found = [example(holders, '0x03')]
  expect(await later()).toEqual({ [holders]: '0x03', [logs]: '0x02' })
  state.found = [{ ...example(logs, '0x04'), isEmpty: true }]
  expect(await later()).toEqual({ [holders]: '0x03', [logs]: '0x02' })
  state.error = new Error('the log is away')
  expect(await later()).toEqual({ [holders]: '0x03', [logs]: '0x02' })
})

test('is the same content, compressed once, while the examples are the same', async () => {
  const { state, document, later } = moved()
  state.found = [example(holders, '0x01')]
  await later()
  const content = await document.content()
  await later()
  expect(await document.content()).toBe(content)
})

test('waits for the first search a bounded time, and for none after it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const gates: ((found: ExamplePage[]) => void)[] = []
  const findExamples = () => new Promise<ExamplePage[]>((resolve) => gates.push(resolve))
  let time = 0
  const document = new DocsDocument({
    ...withoutExamples,
    log: silentLog,
    now: () => time,
    findExamples,
  })
  const first = document.content()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(examplesIn(await first)).toEqual({})
  vi.useRealTimers()
  gates[0]?.([example(holders, '0x01')])
  await new Promise((resolve) => setImmediate(resolve))
  time = 60_000
  const content = document.content()
  expect(gates).toHaveLength(2)
  expect(content).not.toBeInstanceOf(Promise)
  expect(examplesIn(await content)).toEqual({ [holders]: '0x01' })
})
