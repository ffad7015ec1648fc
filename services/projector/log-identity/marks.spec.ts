import fc from 'fast-check'
import { expect, test } from 'vitest'
import { marksPassed, olderMarksOf } from './marks.ts'

const stepMax = 400

test('hold, however much was lost, one before it that is not much older', () => {
  const steps = fc.array(fc.integer({ min: 1, max: stepMax }), { minLength: 1, maxLength: 300 })
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
      // Of the least level that no step passes twice, and whose two marks lie further apart than
      // what was lost: they were written when the last two multiples of its span were passed.
      let span = 16
      while (span < lost + stepMax) span *= 16
      expect(now - nearest).toBeLessThan(2 * span)
    }),
    // The steps of seed -767907855: both marks of the two least levels were passed at once.
    { examples: [[[129, 323, 381], 1]] },
  )
})
