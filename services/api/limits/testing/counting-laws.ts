import { describe, expect, it } from 'vitest'
import { testSeed as seed } from '../../../../test/support/seed.ts'
import { mulberry32 } from '../../../demo-chain/random.ts'
import type { ClientCounts, ClientCountsOptions } from '../client-counts.ts'
import type { LimitVerdict } from '../limit-verdict.ts'

export interface CountingBed {
  /** Another process, on the same server. */
  readonly process: (options?: Partial<ClientCountsOptions>) => ClientCounts
  /** Until they lease, and receive what others announce. */
  readonly ready?: (processes: readonly ClientCounts[]) => Promise<void>
}

const longWindowMs = 3_600_000
let clients = 0
const newClient = () => `client-${seed}-${clients++}`

const admittedOf = (verdicts: readonly LimitVerdict[]): number =>
  verdicts.filter(({ isAllowed }) => isAllowed).length

/** What processes that count together do, whatever they count in. */
export function countingLaws({ process, ready }: CountingBed): void {
  describe.each([1, 2, 4])('%d processes', (count) => {
    const processes = async () => {
      const all = Array.from({ length: count }, () => process({ windowMs: longWindowMs }))
      await ready?.(all)
      return all
    }

    it.each([1, 2, 7, 40, 300])('admit exactly %d requests of a client, in turn', async (limit) => {
      const all = await processes()
      const client = newClient()
      for (let n = 0; n < limit; n++) {
        const verdict = await all[n % count]?.take(client, limit)
        expect(verdict, `request ${n}`).toMatchObject({ isAllowed: true, limit })
      }
      for (const one of all) {
        expect(await one.take(client, limit)).toMatchObject({ isAllowed: false, remaining: 0 })
        // Known from now on: no promise.
        expect(one.take(client, limit)).toMatchObject({ isAllowed: false, remaining: 0 })
      }
    })

    it('admit exactly the limit of many requests at once', async () => {
      const all = await processes()
      const client = newClient()
      const asked = Array.from({ length: 300 }, (_, n) => all[n % count]?.take(client, 100))
      const verdicts = (await Promise.all(asked)).filter((verdict) => verdict !== undefined)
      expect(verdicts.length).toBe(300)
      expect(admittedOf(verdicts)).toBe(100)
    })

    it(`admit exactly the limit in any order (seed ${seed})`, async () => {
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
        expect(admitted, `round ${round}: ${sent} of ${limit}`).toBe(Math.min(sent, limit))
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
