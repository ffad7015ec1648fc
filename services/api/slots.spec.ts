import { expect, test } from 'vitest'
import { Slots } from './slots.ts'

const never = () => new Promise<never>(() => {})

test('holds no more at once than it has, and tells how many are taken', async () => {
  const told: number[] = []
  const slots = new Slots({ max: 2, onChange: (taken) => told.push(taken) })
  void slots.hold(never)
  const second = slots.hold(async () => 'done')
  expect(slots.hold(never)).toBeNull()
  expect(await second).toBe('done')
  expect(slots.hold(never)).not.toBeNull()
  expect(told).toEqual([1, 2, 1, 2])
})

test('gives the place of what fails to the next', async () => {
  const slots = new Slots({ max: 1, onChange: () => {} })
  await expect(slots.hold(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await slots.hold(async () => 'done')).toBe('done')
})
