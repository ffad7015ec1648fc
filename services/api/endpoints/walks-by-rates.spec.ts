import { describe } from 'vitest'
import { standards } from '../../../libs/chain/token.ts'
import { aBalance, anAddress, aToken } from '../../../libs/presenters/testing/rows.ts'
import { part } from '../../../libs/tables/tables/balances.ts'
import { testSeed } from '../../../test/support/seed.ts'
import type { Answers } from '../testing/answers.ts'
import { ratedWalkLaws } from '../testing/rated-walk-laws.ts'
import {
  type Holding,
  naiveOrder,
  ordinalOf,
  type RatedTables,
  type Rates,
  tokensFrom,
} from '../testing/rated-walks.ts'

const holder = anAddress(0xa1)
const tokenAt = tokensFrom(0x1000)
const hoursKept = 4

/** Whether all balances of a holder are read at once. */
const counts = ['few', 'many'] as const
type Counts = (typeof counts)[number]

/** Tables that a spec answers itself. */
class TablesInMemory implements RatedTables {
  readonly holder = holder
  readonly tokenAt = tokenAt
  readonly firstHour = 480_000
  readonly hoursKept = hoursKept
  private readonly counts: Counts
  private readonly held = new Map<number, Holding>()
  private readonly hours = new Map<number, Rates>()

  constructor(counts: Counts) {
    this.counts = counts
  }

  async fill(of: readonly Holding[]): Promise<void> {
    for (const one of of) this.held.set(one.n, one)
  }

  async move(now: Holding): Promise<void> {
    this.held.set(now.n, now)
  }

  async remove({ n }: Holding): Promise<void> {
    this.held.delete(n)
  }

  async begin(hour: number, rates: Rates): Promise<void> {
    this.hours.set(hour, rates)
    this.hours.delete(hour - hoursKept)
  }

  get answers(): Answers {
    return this.counts === 'few' ? { ...this.ofMany, ...this.ofFew } : this.ofMany
  }

  private readonly ofFew = {
    allBalancesOfAddress: async () => [...this.held.values()].map(rowOf),
  }

  private readonly ofMany: Answers = {
    tokenStates: async (tokens) =>
      new Map(
        [...this.held.values()]
          .filter(({ n }) => tokens.includes(tokenAt(n)))
          .map((one) => {
            const { standard, decimals } = one
            const token = tokenAt(one.n)
            return [token, aToken({ token, standard, decimals, ordinal: ordinalOf(one) })]
          }),
      ),
    balancesOfAddress: async ({ standards: wanted, after, limit, listed }) => {
      const rows = naiveOrder([...this.held.values()], {})
        .filter(({ standard }) => wanted.some((name) => standards[standard] === name))
        .filter((one) => {
          if (after === null) return true
          const isSame = one.value === after.value
          return isSame ? ordinalOf(one) < after.ordinal : one.value < after.value
        })
        .map(rowOf)
      return ((await listed?.(rows)) ?? rows).slice(0, limit)
    },
    ratedBalancesOfAddress: async ({ tokens }) =>
      [...this.held.values()]
        .filter(({ n, isInstance }) => !isInstance && tokens.includes(tokenAt(n)))
        .map(rowOf),
    ratesOfHour: async (hour) => {
      const lookups = this.hours.get(hour)
      if (lookups === undefined) return null
      return new Map(Object.entries(lookups).map(([n, text]) => [tokenAt(Number(n)), text]))
    },
  }
}

const rowOf = (one: Holding) =>
  aBalance({
    holder,
    ...{ token: tokenAt(one.n), value: one.value, standard: one.standard },
    ...{ ordinal: ordinalOf(one), part: one.isInstance ? part.instance : part.fungible },
  })

// Decision 25.
describe.each(counts)('of %s balances', (of) => {
  ratedWalkLaws({
    tables: () => new TablesInMemory(of),
    runs: { seed: testSeed, numRuns: 15 },
  })
})
