import { describe, expect, it } from 'vitest'
import { testSeed as seed } from '../../../../../test/support/seed.ts'
import { mulberry32 } from '../../../../demo-chain/random.ts'
import type { LimitVerdict } from '../../../response/limit-headers.ts'
import { type ClientCounts, requestsPerBatch } from '../client-counts.ts'

export interface CountingBed {
  /** Another process, on the same server, with windows that do not end meanwhile. */
  readonly process: () => ClientCounts
  /** Until all of them are connected. */
  readonly ready?: () => Promise<void>
}

let clients = 0
const newClient = () => `client-${seed}-${clients++}`

const admittedOf = (verdicts: readonly LimitVerdict[]): number =>
  verdicts.filter(({ isAllowed }) => isAllowed).length

/** What processes that count together do, whatever they count in. */
export function countingLaws({ process, ready }: CountingBed): void {
  describe.each([1, 2, 4])('%d processes', (count) => {
    const processes = async () => {
      const all = Array.from({ length: count }, process)
      await ready?.()
      return all
    }
    /** A process that is alone knows all requests; else each may be a batch behind. */
    const mostOf = (limit: number) => limit + (count === 1 ? 0 : count * requestsPerBatch(limit))

    it.each([1, 2, 7, 40, 300])(
      'admit %d requests of a client, and a batch each',
      async (limit) => {
        const all = await processes()
        const client = newClient()
        const verdicts: LimitVerdict[] = []
        for (let n = 0; n < 2 * mostOf(limit); n++) {
          const verdict = await all[n % count]?.take(client, limit)
          if (verdict !== undefined) verdicts.push(verdict)
        }
        expect(admittedOf(verdicts.slice(0, limit))).toBe(limit)
        expect(admittedOf(verdicts)).toBeLessThanOrEqual(mostOf(limit))
        for (const one of all) {
          // Known from then on: no promise.
          expect(one.take(client, limit)).toMatchObject({ isAllowed: false, remaining: 0, limit })
        }
      },
    )

    it('admit the limit of many requests at once, and a batch each', async () => {
      const all = await processes()
      const client = newClient()
      const asked = Array.from({ length: 600 }, (_, n) => all[n % count]?.take(client, 100))
      const verdicts = (await Promise.all(asked)).filter((verdict) => verdict !== undefined)
      expect(verdicts.length).toBe(600)
      expect(admittedOf(verdicts)).toBeGreaterThanOrEqual(100)
      expect(admittedOf(verdicts)).toBeLessThanOrEqual(mostOf(100))
    })

    it(`admit the limit in any order, and a batch each (seed ${seed})`, async () => {
      const next = mulberry32(seed)
      const random = () => next() / 2 ** 32
      const all = await processes()
      for (let round = 0; round < 20; round++) {
        const client = newClient()
        const limit = 1 + Math.floor(random() * 120)
        const sent = Math.floor(random() * 2 * limit)
        const asked: (LimitVerdict | Promise<LimitVerdict>)[] = []
        for (let n = 0; n < sent; n++) {
          const one = all[Math.floor(random() * random() * count)]
          if (one !== undefined) asked.push(one.take(client, limit))
          if (random() < 0.5) await Promise.all(asked)
        }
        const admitted = admittedOf(await Promise.all(asked))
        const what = `round ${round}: ${sent} of ${limit}`
        expect(admitted, what).toBeGreaterThanOrEqual(Math.min(sent, limit))
        expect(admitted, what).toBeLessThanOrEqual(Math.min(sent, mostOf(limit)))
      }
    })

    it('count clients apart', async () => {
      const all = await processes()
      const [one, other] = [newClient(), newClient()]
      for (let n = 0; n < 20; n++) await all[n % count]?.take(one, 10)
      expect(await all[0]?.take(other, 10)).toMatchObject({ isAllowed: true })
    })
  })
}
