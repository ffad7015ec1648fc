import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { linkedAbort } from './linked-abort.ts'

test('a signal aborts with the one that it is linked to, for the same reason', () => {
  const parent = new AbortController()
  const linked = linkedAbort(parent.signal)
  expect(linked.signal.aborted).toBe(false)
  parent.abort('enough')
  expect(linked.signal.aborted).toBe(true)
  expect(linked.signal.reason).toBe('enough')
  expect(linkedAbort(parent.signal).signal.reason).toBe('enough')
})

test('a signal that was ended leaves nothing on the one that it was linked to', () => {
  const parent = new AbortController()
  for (let times = 0; times < 100; times++) {
    const linked = linkedAbort(parent.signal)
    linked.end('done')
    expect(linked.signal.reason).toBe('done')
  }
  expect(getEventListeners(parent.signal, 'abort')).toHaveLength(0)
  expect(parent.signal.aborted).toBe(false)
})
