import { afterAll, beforeAll, describe } from 'vitest'
import type { Address } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import type { Store } from '../../libs/ports/store.ts'
import { anAddress, aToken } from '../../libs/presenters/testing/rows.ts'
import { rateHourRows } from '../../libs/projections/dimensions.ts'
import { RowBatch } from '../../libs/tables/declare/row-batch.ts'
import type { Row } from '../../libs/tables/declare/table.ts'
import { balances, balancesByValue, part } from '../../libs/tables/tables/balances.ts'
import { rateHoursKept, tokenState } from '../../libs/tables/tables/tokens.ts'
import { type RunQuestion, runOnStore } from '../../services/api/rows/run-question.ts'
import { runOnAnswers } from '../../services/api/testing/answers.ts'
import { ratedWalkLaws } from '../../services/api/testing/rated-walk-laws.ts'
import {
  type Holding,
  ordinalOf,
  type RatedTables,
  type Rates,
  tokensFrom,
} from '../../services/api/testing/rated-walks.ts'
import { testStore } from '../support/engine.ts'
import { insertRows } from '../support/insert-rows.ts'
import { testSeed } from '../support/seed.ts'

let store: Store
let drop: () => Promise<void>
let worlds = 0
let version = 0
/** Each world goes on where the one before ended, in slots that hold rates of others. */
let lastHour = 480_000

beforeAll(async () => {
  const opened = await testStore()
  store = opened.store
  drop = opened.drop
})
afterAll(() => drop())

/** Whether all balances of a holder are read at once. */
const counts = ['few', 'many'] as const
type Counts = (typeof counts)[number]

/** The real tables, behind the real queries. */
class TablesInEngine implements RatedTables {
  readonly answers: RunQuestion
  readonly hoursKept = rateHoursKept
  readonly firstHour = lastHour + 1
  readonly holder: Address
  readonly tokenAt: (n: number) => Address

  constructor(counts: Counts) {
    const run = runOnStore(store)
    const tooMany = { allBalancesOfAddress: async () => null }
    this.answers = counts === 'few' ? run : runOnAnswers(tooMany, run)
    worlds += 1
    this.holder = anAddress(0xa0_000 + worlds)
    this.tokenAt = tokensFrom(0x1_000_000 + worlds * 16)
  }

  async fill(of: readonly Holding[]): Promise<void> {
    version += 1
    const states = of.map((one) => {
      const { standard, decimals } = one
      return aToken({ token: this.tokenAt(one.n), standard, decimals, ordinal: ordinalOf(one) })
    })
    await insertRows(store, tokenState, states)
    await insertRows(
      store,
      balances,
      of.map((one) => this.balance(one, 0)),
    )
    await insertRows(
      store,
      balancesByValue,
      of.map((one) => this.byValue(one, 0)),
    )
  }

  async move(now: Holding, before: Holding): Promise<void> {
    version += 1
    await insertRows(store, balances, [this.balance(now, 0)])
    const tombstones = before.value === now.value ? [] : [this.byValue(before, 1)]
    await insertRows(store, balancesByValue, [this.byValue(now, 0), ...tombstones])
  }

  async remove(before: Holding): Promise<void> {
    version += 1
    await insertRows(store, balances, [this.balance(before, 1)])
    await insertRows(store, balancesByValue, [this.byValue(before, 1)])
  }

  async begin(hour: number, rates: Rates): Promise<void> {
    lastHour = hour
    version += 1
    const texts = Object.entries(rates).map(([n, text]) => [this.tokenAt(Number(n)), text] as const)
    const batch = new RowBatch()
    batch.add(rateHourRows(hour, new Map(texts), position(version)))
    await batch.insertAll(store)
  }

  private balance(one: Holding, isDeleted: number): Row<typeof balances> {
    const { holder } = this
    const [token, tokenId] = [this.tokenAt(one.n), one.isInstance ? 7n : 0n]
    const { value, standard } = one
    const key = { holder, token, part: partOf(one), tokenId }
    const columns = { value, standard, ordinal: ordinalOf(one), observedAt: 0 }
    return { ...key, ...columns, position: position(version), isDeleted }
  }

  private byValue(one: Holding, isDeleted: number): Row<typeof balancesByValue> {
    return this.balance(one, isDeleted)
  }
}

const partOf = ({ isInstance }: Holding): number => (isInstance ? part.instance : part.fungible)

describe.each(counts)('of %s balances', (of) => {
  ratedWalkLaws({
    tables: () => new TablesInEngine(of),
    runs: { seed: testSeed, numRuns: 8 },
  })
})
