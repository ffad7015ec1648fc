import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testSeed as seed } from '../../../test/support/seed.ts'
import { WaitingPlaces } from './page-loads.ts'

/** Takes places until none is left for the client. @returns how many */
function takeAll(places: WaitingPlaces, client: string | undefined): number {
  let count = 0
  for (; places.hasPlace(client); count++) places.take(client)
  return count
}

test('each further client that takes all it can leaves places for the next', () => {
  const places = new WaitingPlaces(64)
  expect(['a', 'b', 'c', 'd'].map((client) => takeAll(places, client))).toEqual([28, 14, 7, 4])
  const further = Array.from({ length: 8 }, (_, at) => takeAll(places, `client ${at}`))
  expect(further).toEqual([2, 1, 1, 1, 1, 1, 1, 1])
  expect(places.hasPlace('polite')).toBe(true)
})

test('requests of no known client share all places', () => {
  expect(takeAll(new WaitingPlaces(64), undefined)).toBe(64)
})

test(`places are never more than there are, and all are given back (seed ${seed})`, () => {
  const step = fc.record({
    client: fc.constantFrom('a', 'b', 'c', undefined),
    isTaken: fc.boolean(),
  })
  const property = fc.property(
    fc.nat(20),
    fc.array(step, { maxLength: 100, size: 'max' }),
    (max, steps) => {
      const places = new WaitingPlaces(max)
      const taken: (string | undefined)[] = []
      for (const { client, isTaken } of steps) {
        if (isTaken && places.hasPlace(client)) {
          places.take(client)
          taken.push(client)
        } else if (!isTaken && taken.includes(client)) {
          places.release(client)
          taken.splice(taken.indexOf(client), 1)
        }
        expect(taken.length).toBeLessThanOrEqual(max)
      }
      for (const client of taken) places.release(client)
      expect(takeAll(places, undefined)).toBe(max)
    },
  )
  fc.assert(property, { seed })
})
