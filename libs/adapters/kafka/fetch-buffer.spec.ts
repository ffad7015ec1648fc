import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FetchBuffer } from './fetch-buffer.ts'

const message = (offset: number, bytes = 1) => ({ offset, key: '', value: new Uint8Array(bytes) })
const all = { messagesMax: 100, bytesMax: 1_000 }
const offsetsIn = (arrived: FetchBuffer, limit = all) =>
  arrived.read(limit).map((one) => one.offset)

test('gives a message until the reader has moved beyond it', () => {
  const arrived = new FetchBuffer(3)
  arrived.add([message(3), message(5), message(6)], 7)
  expect(offsetsIn(arrived)).toEqual([3, 5, 6])
  expect(arrived.moveTo(4)).toBe(false)
  expect(offsetsIn(arrived)).toEqual([5, 6])
  expect(arrived.moveTo(7)).toBe(false)
  expect(offsetsIn(arrived)).toEqual([])
  expect(arrived).toMatchObject({ start: 7, next: 7, bytes: 0, isEmpty: true })
})

test('jumps where it does not cover the offset, and forgets what came', () => {
  const arrived = new FetchBuffer(3)
  arrived.add([message(3)], 4)
  for (const offset of [2, 5]) {
    expect(arrived.moveTo(offset)).toBe(true)
    expect(arrived).toMatchObject({ start: offset, next: offset, bytes: 0 })
  }
})

test('stops at either bound, but never before the first message', () => {
  const arrived = new FetchBuffer(0)
  arrived.add([message(0, 100), message(1, 100), message(2, 1)], 3)
  expect(offsetsIn(arrived, { messagesMax: 2, bytesMax: 1_000 })).toEqual([0, 1])
  expect(offsetsIn(arrived, { messagesMax: 9, bytesMax: 1 })).toEqual([0])
  expect(offsetsIn(arrived, { messagesMax: 9, bytesMax: 150 })).toEqual([0, 1])
})

test('counts the bytes that it holds, whatever is added, left behind or forgotten', () => {
  const step = fc.oneof(
    fc.record({ add: fc.array(fc.nat({ max: 50 }), { maxLength: 4 }) }),
    fc.record({ moveTo: fc.nat({ max: 30 }) }),
    fc.constant('clear' as const),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const arrived = new FetchBuffer(0)
      for (const one of steps) {
        if (one === 'clear') arrived.clear()
        else if ('moveTo' in one) arrived.moveTo(one.moveTo)
        else {
          const first = arrived.next
          arrived.add(
            one.add.map((bytes, at) => message(first + at, bytes)),
            first + one.add.length,
          )
        }
        const held = arrived.read({ messagesMax: 1_000, bytesMax: 1_000_000 })
        expect(arrived.bytes).toBe(held.reduce((sum, { value }) => sum + value.length, 0))
        expect(held.every(({ offset }) => offset >= arrived.start && offset < arrived.next)).toBe(
          true,
        )
      }
    }),
  )
})
