import { expect, test } from 'vitest'
import { heapArguments } from './worker-process.ts'

const mib = 2 ** 20

test('workers share the heap that Node would give one process', () => {
  const of = { count: 4, heapBytes: 1_800 * mib, given: '--enable-source-maps' }
  expect(heapArguments(of)).toEqual(['--max-old-space-size=450'])
})

test('a worker has at least the heap of a process in a container of 768 MiB', () => {
  const of = { count: 16, heapBytes: 4_096 * mib, given: '' }
  expect(heapArguments(of)).toEqual(['--max-old-space-size=432'])
})

test('a limit that was given is the one of each worker', () => {
  for (const given of ['--max-old-space-size=300', '--max_old_space_size 300']) {
    expect(heapArguments({ count: 4, heapBytes: 300 * mib, given })).toEqual([])
  }
})
