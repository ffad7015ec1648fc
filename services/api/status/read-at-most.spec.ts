import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ReadAtMost } from './read-at-most.ts'

test('reads once at a time, and again only after a while', async () => {
  const state = { at: 0, begun: 0 }
  const waiting: ((value: number) => void)[] = []
  const value = new ReadAtMost<number>({
    everyMs: 10,
    deadlineMs: 60_000,
    now: () => state.at,
    read() {
      state.begun += 1
      return new Promise((resolve) => waiting.push(resolve))
    },
  })
  expect(value.latest).toEqual({ value: null, failure: null })
  state.at = 100
  expect([value.latest.value, state.begun]).toEqual([null, 1])
  waiting.shift()?.(7)
  await turn()
  expect([value.latest.value, state.begun]).toEqual([7, 2])
  waiting.shift()?.(8)
  await turn()
  state.at = 109
  expect([value.latest.value, state.begun]).toEqual([8, 2])
})

test('ends a read at its deadline, and keeps the value before', async () => {
  const state = { at: 0, isSlow: false }
  const value = new ReadAtMost<number>({
    everyMs: 10,
    deadlineMs: 1,
    now: () => state.at,
    read: (signal) =>
      new Promise((resolve, reject) => {
        if (!state.isSlow) return resolve(7)
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
  })
  void value.latest
  await turn()
  Object.assign(state, { at: 10, isSlow: true })
  void value.latest
  while (value.latest.failure === null) await new Promise((resolve) => setTimeout(resolve, 1))
  expect(value.latest).toMatchObject({ value: 7, failure: { name: 'TimeoutError' } })
})
