import { expect, test } from 'vitest'
import { throttleWindow } from './steps.ts'

const at = (time: number | null, stepSeconds: number) =>
  throttleWindow(() => ({ block: 1, time }), stepSeconds)()

test('a step lasts so many seconds of chain time', () => {
  expect(at(59, 30)).toBe(1)
  expect(at(60, 30)).toBe(2)
})

test('without a time, and with steps of 0 s, there is no step: all is as of the head', () => {
  expect(at(null, 30)).toBeNull()
  expect(at(60, 0)).toBeNull()
})
