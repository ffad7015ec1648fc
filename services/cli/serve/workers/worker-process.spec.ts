import { expect, test, vi } from 'vitest'
import { answerWithin, heapArguments } from './worker-process.ts'

const mib = 2 ** 20

test('workers share the heap that Node would give one process', () => {
  const of = { count: 4, heapBytes: 1_800 * mib, given: '--enable-source-maps' }
  expect(heapArguments(of)).toEqual(['--max-old-space-size=402', '--max-semi-space-size=32'])
})

test('a worker has at least the heap of a process in a container of 768 MiB', () => {
  const of = { count: 16, heapBytes: 4_096 * mib, given: '' }
  expect(heapArguments(of)).toEqual(['--max-old-space-size=384', '--max-semi-space-size=32'])
})

test('a limit that was given is the one of each worker', () => {
  for (const given of ['--max-old-space-size=300', '--max_old_space_size 300']) {
    const of = { count: 4, heapBytes: 300 * mib, given }
    expect(heapArguments(of)).toEqual(['--max-semi-space-size=32'])
    expect(heapArguments({ ...of, given: `${given} --max_semi_space_size=8` })).toEqual([])
  }
})

/** Nothing of this process runs meanwhile, as if it was paused. */
function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('an answer that arrives while the supervisor itself is paused is in time', async () => {
  const { port1, port2 } = new MessageChannel()
  const answer = new Promise((resolve) => port1.addEventListener('message', resolve))
  port1.start()
  const inTime = answerWithin(answer, 50)
  port2.postMessage('an answer')
  block(100)
  await expect(inTime).resolves.toBeDefined()
  port1.close()
})

test('no answer in time is an error, and a failed one is its own', async () => {
  vi.useFakeTimers()
  const late = answerWithin(new Promise(() => {}), 10_000).catch(String)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await late).toBe('Error: no answer within 10000 ms')
  vi.useRealTimers()
  const ended = answerWithin(Promise.reject(new Error('the worker ended: exit code 1')), 10_000)
  await expect(ended).rejects.toThrow('the worker ended: exit code 1')
})
