import fc from 'fast-check'
import { expect, test } from 'vitest'
import { marksPassed, olderMarksOf } from './marks.ts'

test('hold, however much was lost, one before it that is not much older', () => {
  const steps = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(steps, fc.nat({ max: 20_000 }), (sizes, lost) => {
      const held = new Map<string, number>()
      let now = 0
      for (const size of sizes) {
        for (const name of marksPassed('r', now, now + size)) held.set(name, now + size)
        now += size
      }
      const names = ['r', ...olderMarksOf('r')]
      expect([...held.keys()].filter((name) => !names.includes(name))).toEqual([])
      const kept = [...held.values()].filter((at) => at <= now - lost)
      const nearest = Math.max(0, ...kept)
      // Two spans of the least level above what was lost, each passed by a step at most.
      const span = 16 ** Math.ceil(Math.log(Math.max(lost, 16)) / Math.log(16))
      expect(now - nearest).toBeLessThanOrEqual(2 * (span + 400))
    }),
  )
})
