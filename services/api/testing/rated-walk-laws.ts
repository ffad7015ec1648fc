import fc from 'fast-check'
import { expect, test } from 'vitest'
import { standards } from '../../../libs/chain/token.ts'
import {
  forms,
  type Holding,
  naiveOrder,
  type RatedTables,
  RatedWorld,
  type Rates,
  typesAt,
  type WalkEvent,
  walked,
} from './rated-walks.ts'

const uint256Last = (1n << 256n) - 1n
/** Rates that cause ties, that differ in the last digit, and that nobody would believe. */
const rate = fc.constantFrom(
  ...['0', '1', '2', '1.0', '0.5', '0.50', '0.000000000000000000001', '1234567.891', '3'],
  ...['0.333333333333333333', '0.333333333333333334', '9'.repeat(60), '9'.repeat(61)],
  `0.${'0'.repeat(56)}1`,
)
const rates: fc.Arbitrary<Rates> = fc.dictionary(fc.nat(11).map(String), rate, { maxKeys: 10 })
const value = fc.oneof(
  fc.constantFrom(1n, 2n, 5n, 10n, 1_000_000n, 10n ** 18n, uint256Last),
  fc.bigInt(1n, 20n),
)
const holding: fc.Arbitrary<Holding> = fc.record({
  n: fc.nat(11),
  value,
  standard: fc.nat(standards.length - 1),
  decimals: fc.constantFrom(null, 0, 0, 1, 6, 6, 18, 77, 78, 255),
  isInstance: fc.boolean(),
})
const holdings = fc.uniqueArray(holding, { selector: ({ n }) => n, minLength: 1, maxLength: 12 })
const hour = fc.record({ kind: fc.constant('hour' as const), rates })
const moves = fc.record({
  kind: fc.constant('moves' as const),
  n: fc.nat(11),
  value: fc.oneof(value, fc.constant(0n)),
})
const event: fc.Arbitrary<WalkEvent> = fc.oneof(hour, moves, fc.constant({ kind: 'nothing' }))
/** Fewer than are kept. */
const hoursMax = 3

const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 })
const start = { of: holdings, known: rates, sizes, form: fc.constantFrom(...forms) }

const orderOf = (of: readonly Holding[], known: Rates) => naiveOrder(of, known).map(({ n }) => n)

interface RatedWalkLaws {
  /** Tables of a holder of whom nothing is written. */
  readonly tables: () => RatedTables
  readonly runs: { readonly seed: number; readonly numRuns: number }
}

/** What holds of walks of endpoint 1, whatever the tables lie in. */
export function ratedWalkLaws({ tables, runs }: RatedWalkLaws): void {
  const startWorld = (of: readonly Holding[], known: Rates) => RatedWorld.start(tables(), of, known)
  const said = `(seed ${runs.seed})`

  test(`a walk is in the naive order, whatever the cursors look like ${said}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.record(start), async ({ of, known, ...walk }) => {
        const { items } = await walked(await startWorld(of, known), walk)
        expect(items).toEqual(orderOf(of, known))
      }),
      runs,
    )
  })

  test(`a filter by type leaves the others out of both parts ${said}`, async () => {
    const only = fc.subarray([0, 1, 2, 3], { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(fc.record({ ...start, only }), async ({ of, known, only, ...walk }) => {
        const world = await startWorld(of, known)
        const { items } = await walked(world, { ...walk, types: typesAt(only) })
        const wanted = of.filter(({ standard }) => only.includes(standard))
        expect(items).toEqual(orderOf(wanted, known))
      }),
      runs,
    )
  })

  test(`a fiat value decides over the id, which then has no more than the ordinal ${said}`, async () => {
    const ids = fc.constantFrom<(id: bigint) => bigint>(
      (id) => id % ordinalsEnd,
      (id) => id - ((id / ordinalsEnd) % 2n) * ordinalsEnd,
    )
    await fc.assert(
      fc.asyncProperty(fc.record({ ...start, ids }), async ({ of, known, sizes, ids }) => {
        const world = await startWorld(of, known)
        const { items } = await walked(world, { sizes, form: 'whole', changed: withId(ids) })
        expect(items).toEqual(orderOf(of, known))
      }),
      runs,
    )
  })

  changingWalkLaws({ tables, runs })
}

const ordinalsEnd = 1n << 33n

/** A cursor with a fiat value and another id. */
const withId =
  (idOf: (id: bigint) => bigint) =>
  (cursor: Record<string, string>): Record<string, string> =>
    cursor.fiat_value === '' ? cursor : { ...cursor, id: idOf(BigInt(cursor.id ?? '0')).toString() }

function changingWalkLaws({ tables, runs }: RatedWalkLaws): void {
  const startWorld = (of: readonly Holding[], known: Rates) => RatedWorld.start(tables(), of, known)
  const said = `(seed ${runs.seed})`

  test(`rates that change in the middle change nothing ${said}`, async () => {
    const later = fc.array(rates, { maxLength: hoursMax })
    await fc.assert(
      fc.asyncProperty(fc.record({ ...start, later }), async ({ of, known, later, ...walk }) => {
        const world = await startWorld(of, known)
        const between = async (page: number) => {
          const next = later[page]
          if (next !== undefined) await world.play({ kind: 'hour', rates: next })
          world.restart()
        }
        const { items, changes } = await walked(world, { ...walk, between })
        expect(items).toEqual(orderOf(of, known))
        expect(changes).toBe(0)
      }),
      runs,
    )
  })

  test(`balances that do not move are shown once, in order, whatever others do ${said}`, async () => {
    const events = fc.array(event, { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(fc.record({ ...start, events }), async ({ of, known, events, sizes }) => {
        const world = await startWorld(of, known)
        let hours = 0
        const between = async (page: number) => {
          const one = events[page] ?? { kind: 'nothing' }
          if (one.kind === 'hour' && ++hours > hoursMax) return
          await world.play(one)
        }
        const { items } = await walked(world, { sizes, form: 'whole', between })
        const isUnchanged = (n: number) => !world.moved.has(n)
        expect(items.filter(isUnchanged)).toEqual(orderOf(of, known).filter(isUnchanged))
      }),
      runs,
    )
  })

  test(`a walk longer than its rates are kept ends, and says that its order changed ${said}`, async () => {
    const later = fc.record({ ...start, next: rates })
    await fc.assert(
      fc.asyncProperty(later, async ({ of, known, next, form }) => {
        const world = await startWorld(of, known)
        const between = async () => {
          await world.beginLongAfter(next)
          world.restart()
        }
        const { items, changes } = await walked(world, { sizes: [1], form, between })
        const hadRates = Object.values(known).some((text) => text.length <= 60)
        if (items.length > 1 && hadRates) expect(changes).toBeGreaterThan(0)
      }),
      runs,
    )
  })
}
