import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StoreUnavailable } from '../../ports/store.ts'
import { Turns } from './turns.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const limits = { maxConnections: 1, waitingMax: 2, waitMsMax: 2_000 }
const never = () => new Promise<never>(() => {})

/** A question that is answered when the spec says so. */
function question() {
  let answer = (_: string) => {}
  const answered = new Promise<string>((resolve) => {
    answer = resolve
  })
  const ask = vi.fn(() => answered)
  return { ask, answer: (text: string) => answer(text) }
}

test('answers what has its turn in time, however long the answer takes then', async () => {
  const turns = new Turns(limits)
  const [first, second] = [question(), question()]
  const answers = [turns.take(first.ask), turns.take(second.ask)]
  await vi.advanceTimersByTimeAsync(1_999)
  first.answer('one')
  await vi.advanceTimersByTimeAsync(60_000)
  second.answer('two')
  expect(await Promise.all(answers)).toEqual(['one', 'two'])
})

test('gives up a question whose turn has not come in time, and never asks it', async () => {
  const turns = new Turns(limits)
  const [first, late, next] = [question(), question(), question()]
  void turns.take(first.ask)
  const outcome = turns.take(late.ask).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(2_001)
  expect(await outcome).toEqual(
    new StoreUnavailable('no connection to the store was free within 2000 ms'),
  )
  first.answer('one')
  next.answer('three')
  expect(await turns.take(next.ask)).toBe('three')
  expect(late.ask).not.toHaveBeenCalled()
})

test('refuses at once what would wait behind too many', async () => {
  const turns = new Turns(limits)
  void turns.take(never)
  await vi.advanceTimersByTimeAsync(0)
  for (let waiting = 0; waiting < limits.waitingMax; waiting++) turns.take(never).catch(() => {})
  await expect(turns.take(never)).rejects.toThrow('2 questions wait for the store already')
})

test('tells the error of a question, and goes on with the next', async () => {
  const turns = new Turns(limits)
  await expect(turns.take(() => Promise.reject(new Error('no such column')))).rejects.toThrow(
    'no such column',
  )
  expect(await turns.take(async () => 'fine')).toBe('fine')
})
