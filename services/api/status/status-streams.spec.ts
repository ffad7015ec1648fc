import { expect, test } from 'vitest'
import type { ResponseStream } from '../../../libs/ports/http.ts'
import { type StatusStreamLimits, StatusStreams } from './status-streams.ts'

/** A client that takes events while it reads. */
class Client implements ResponseStream {
  readonly events: string[] = []
  isReading = true
  isEnded = false
  private readonly listeners: (() => void)[] = []

  send(chunk: Buffer): boolean {
    if (this.isReading) this.events.push(chunk.toString())
    return this.isReading
  }

  end(): void {
    this.isEnded = true
    for (const listener of this.listeners.splice(0)) listener()
  }

  onEnd = (listener: () => void): void => void this.listeners.push(listener)

  /** Of the last event. */
  get shown(): unknown {
    const event = this.events.at(-1) ?? ''
    expect(event).toMatch(/^data: [^\n]+\n\n$/)
    return JSON.parse(event.slice('data: '.length))
  }
}

function bed(limits: Partial<StatusStreamLimits> = {}) {
  const state = { at: 0, head: 7, name: '\n\ndata: {}', fails: false, computed: 0, failures: 0 }
  const streams = new StatusStreams({
    now: () => state.at,
    // The spec calls `tick` itself.
    limits: { everyMs: 3_600_000, ...limits },
    onFailure() {
      state.failures += 1
    },
    sections() {
      state.computed += 1
      if (state.fails) throw new Error('planted')
      return { at: state.at, head: { block: state.head }, name: state.name }
    },
  })
  const open = (client = 'one') => {
    const stream = new Client()
    streams.begin(client)(stream)
    return stream
  }
  return { state, streams, open }
}

test('sends all sections first, and then those that have changed', () => {
  const { state, streams, open } = bed()
  const first = open()
  expect(first.shown).toEqual({ at: 0, head: { block: 7 }, name: '\n\ndata: {}' })
  state.at = 1_000
  streams.tick()
  expect(first.shown).toEqual({ at: 1_000 })
  Object.assign(state, { at: 2_000, head: 8 })
  const second = open('two')
  streams.tick()
  for (const { shown } of [first, second]) expect(shown).toEqual({ at: 2_000, head: { block: 8 } })
  streams.stop()
})

test('computes once for all viewers, and nothing while nobody watches', () => {
  const { state, streams, open } = bed()
  const clients = Array.from({ length: 20 }, () => open())
  expect(state.computed).toBe(1)
  streams.tick()
  expect(state.computed).toBe(2)
  expect(new Set(clients.map(({ events }) => events.at(-1))).size).toBe(1)
  streams.stop()
  expect(clients.every(({ isEnded }) => isEnded)).toBe(true)
  expect(state.computed).toBe(2)
  Object.assign(state, { head: 9 })
  expect(open().shown).toMatchObject({ head: { block: 9 } })
  streams.stop()
})

test('refuses further streams of a client and of all, until one has ended', () => {
  const { streams, open } = bed({ streamsMax: 3, streamsPerClientMax: 2 })
  const [first] = [open('one'), open('one')]
  expect([streams.refusal('one'), streams.refusal('two')]).toEqual(['client', null])
  open('two')
  expect([streams.refusal('one'), streams.refusal('three')]).toEqual(['all', 'all'])
  // Whose place was taken after it was asked.
  const late = open('three')
  expect([late.isEnded, late.events]).toEqual([true, []])
  first?.end()
  expect([streams.refusal('one'), streams.refusal('three')]).toEqual([null, null])
  streams.stop()
})

test('a client that reads slowly misses events, then gets all sections', () => {
  const { state, streams, open } = bed({ unreadMsMax: 3_000 })
  const client = open()
  client.isReading = false
  for (const at of [1_000, 2_000]) {
    Object.assign(state, { at, head: at })
    streams.tick()
  }
  client.isReading = true
  state.at = 3_000
  streams.tick()
  expect(client.events).toHaveLength(2)
  expect(client.shown).toMatchObject({ at: 3_000, head: { block: 2_000 } })
  expect(client.shown).toHaveProperty('name')
  streams.stop()
})

test('ends the stream of a client that reads nothing, and one that is old', () => {
  const { state, streams, open } = bed({ unreadMsMax: 3_000, lifeMsMax: 60_000 })
  const [slow, good] = [open(), open()]
  slow.isReading = false
  for (let at = 1_000; at <= 4_000; at += 1_000) {
    expect(slow.isEnded, `at ${at}`).toBe(false)
    state.at = at
    streams.tick()
  }
  expect([slow.isEnded, good.isEnded]).toEqual([true, false])
  state.at = 60_000
  streams.tick()
  expect(good.isEnded).toBe(true)
  expect(streams.refusal('one')).toBe(null)
})

test('a failure to compute ends no stream', () => {
  const { state, streams, open } = bed()
  const client = open()
  state.fails = true
  streams.tick()
  expect([state.failures, client.isEnded]).toEqual([1, false])
  Object.assign(state, { fails: false, at: 5 })
  streams.tick()
  expect(client.shown).toEqual({ at: 5 })
  streams.stop()
})
