import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BoundedQueue, type QueueCounts } from './bounded-queue.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

class Rejected extends Error {}

const limits = { runningMax: 1, waitingMax: 2, waitMsMax: 2_000 }
const counts: QueueCounts[] = []
const queueOf = () =>
  new BoundedQueue({
    ...limits,
    rejection: (kind, sentence) => new Rejected(`${kind}: ${sentence}`),
    onChange: (changed) => counts.push(changed),
  })
const never = () => new Promise<never>(() => {})

/** A task that the test ends. */
function held() {
  let end = (_: string) => {}
  const ended = new Promise<string>((resolve) => {
    end = resolve
  })
  const task = vi.fn(() => ended)
  return { task, end: (result: string) => end(result) }
}

/** The result of a task, or its error. */
const outcomeOf = (running: Promise<unknown>) => running.catch((error: unknown) => error)

test('runs a task started in time, however long it takes', async () => {
  const queue = queueOf()
  const [first, second] = [held(), held()]
  const running = Promise.all([queue.run(first.task), queue.run(second.task)])
  await vi.advanceTimersByTimeAsync(1_999)
  expect(second.task).not.toHaveBeenCalled()
  first.end('one')
  await vi.advanceTimersByTimeAsync(60_000)
  second.end('two')
  expect(await running).toEqual(['one', 'two'])
})

test('runs queued tasks first in, first out', async () => {
  const queue = queueOf()
  const order: number[] = []
  const first = held()
  const running = [
    queue.run(first.task),
    ...[1, 2].map((number) => queue.run(async () => order.push(number))),
  ]
  first.end('')
  await Promise.all(running)
  expect(order).toEqual([1, 2])
})

test('rejects a task that was queued for too long, and never runs it', async () => {
  const queue = queueOf()
  const [first, late, next] = [held(), held(), held()]
  const running = queue.run(first.task)
  const outcome = outcomeOf(queue.run(late.task))
  await vi.advanceTimersByTimeAsync(2_001)
  expect(await outcome).toEqual(new Rejected('late: not started within 2000 ms'))
  first.end('one')
  await running
  next.end('three')
  expect(await queue.run(next.task)).toBe('three')
  expect(late.task).not.toHaveBeenCalled()
})

test('rejects a task at once when the queue is full; rejected tasks free their place', async () => {
  const queue = queueOf()
  void queue.run(never)
  const waiting = [1, 2].map(() => outcomeOf(queue.run(never)))
  await expect(queue.run(never)).rejects.toEqual(new Rejected('full: 2 tasks are queued already'))
  await vi.advanceTimersByTimeAsync(2_001)
  await Promise.all(waiting)
  const outcome = outcomeOf(queue.run(never))
  await vi.advanceTimersByTimeAsync(2_001)
  expect(await outcome).toEqual(new Rejected('late: not started within 2000 ms'))
})

test('removes a task from the queue when its signal aborts, with its reason', async () => {
  const queue = queueOf()
  const [first, given] = [held(), held()]
  const running = queue.run(first.task)
  const ending = new AbortController()
  const outcome = outcomeOf(queue.run(given.task, { signal: ending.signal }))
  ending.abort(new Error('nobody waits'))
  expect(await outcome).toEqual(new Error('nobody waits'))
  first.end('one')
  await running
  await expect(queue.run(given.task, { signal: ending.signal })).rejects.toThrow('nobody waits')
  expect(given.task).not.toHaveBeenCalled()
  expect(vi.getTimerCount()).toBe(0)
})

test('rejects with the error of a task, and continues with the next', async () => {
  const queue = queueOf()
  const failing = queue.run(() => Promise.reject(new Error('no such column')))
  const next = queue.run(async () => 'fine')
  await expect(failing).rejects.toThrow('no such column')
  expect(await next).toBe('fine')
})

test('begins queued tasks of different clients in turn', async () => {
  const queue = new BoundedQueue({ ...limits, waitingMax: 9, rejection: () => new Rejected() })
  const order: string[] = []
  const first = held()
  const note = (name: string) => queue.run(async () => order.push(name), { client: name.charAt(0) })
  const running = [queue.run(first.task), ...['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(note)]
  first.end('')
  await Promise.all(running)
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('a full queue rejects the newest task of the client with the most', async () => {
  const queue = new BoundedQueue({
    ...{ ...limits, waitingMax: 3 },
    rejection: (kind) => new Rejected(kind),
  })
  const first = held()
  const running = queue.run(first.task)
  const [a1, a2, a3] = [held(), held(), held()]
  const ofA = [a1, a2, a3].map(({ task }) => outcomeOf(queue.run(task, { client: 'a' })))
  const b = held()
  const ofB = queue.run(b.task, { client: 'b' })
  expect(await ofA[2]).toEqual(new Rejected('full'))
  // One of each is as much as `a` has then: it is the newcomer's turn to be rejected.
  await expect(queue.run(never, { client: 'b' })).rejects.toEqual(new Rejected('full'))
  for (const task of [first, a1, b, a2]) task.end('done')
  expect(await Promise.all([running, ofA[0], ofB, ofA[1]])).toEqual(Array(4).fill('done'))
  expect(a3.task).not.toHaveBeenCalled()
})

test('counts running and queued tasks', async () => {
  counts.length = 0
  const queue = queueOf()
  const first = held()
  const running = [queue.run(first.task), queue.run(async () => '')]
  first.end('')
  await Promise.all(running)
  expect(counts.at(0)).toEqual({ running: 1, waiting: 0 })
  expect(counts.at(1)).toEqual({ running: 1, waiting: 1 })
  expect(counts.at(-1)).toEqual({ running: 0, waiting: 0 })
})

test('a task that a client without room joins begins in the turn of who asked first', async () => {
  const bounds = { runningMax: 2, ownMin: 1, waitingMax: 4, waitMsMax: 2_000 }
  const queue = new BoundedQueue({ ...bounds, rejection: () => new Rejected() })
  void queue.run(never, { client: 'greedy' })
  const tasks = [held(), held(), held()]
  const joins: ((client: string) => void)[] = []
  const onJoin = (listener: (client: string) => void) => void joins.push(listener)
  const running = tasks.map(({ task }) => queue.run(task, { client: 'polite', onJoin }))
  joins.at(-1)?.('greedy')
  for (const [at, { task, end }] of tasks.entries()) {
    await vi.advanceTimersByTimeAsync(0)
    expect(task, `task ${at}`).toHaveBeenCalled()
    end('')
  }
  await Promise.all(running)
})

test('clients that request the same pages cannot have those of others refused', async () => {
  const bounds = { runningMax: 1, ownMin: 1, waitingMax: 8, waitMsMax: 2_000 }
  const queue = new BoundedQueue({ ...bounds, rejection: () => new Rejected() })
  void queue.run(never, { client: 'one' })
  const onJoin = (listener: (client: string) => void) => listener('other')
  const shared = Array.from({ length: 8 }, () =>
    outcomeOf(queue.run(never, { client: 'one', onJoin })),
  )
  expect(queue.isFull).toBe(true)
  expect(queue.refusal('polite')).toBeNull()
  void queue.run(never, { client: 'polite' })
  expect(await shared.at(-1)).toBeInstanceOf(Rejected)
})
