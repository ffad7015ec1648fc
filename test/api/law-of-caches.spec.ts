import { afterEach, expect, test, vi } from 'vitest'
import { position } from '../../libs/chain/position.ts'
import { namesOf } from '../../libs/tables/declare/table.ts'
import { cachedTables } from '../../libs/tables/tables/all-tables.ts'
import { CachePositions } from '../../services/api/clock/cache-positions.ts'
import { Dependencies } from '../../services/api/clock/dependencies.ts'
import { followedFamilies } from '../../services/api/clock/follow-changes.ts'
import { InvalidationClock } from '../../services/api/clock/invalidation-clock.ts'
import type { isImmutable } from '../../services/api/rows/immutable.ts'
import type { fromCurrentReplica } from '../../services/api/rows/replica-check.ts'
import { SubjectFilter } from '../../services/api/rows/subject-filter.ts'
import { complaintsOf } from '../../services/api/testing/checked-run.ts'
import type { CheckerOptions } from '../../services/api/testing/checker.ts'
import { testSeed } from '../support/seed.ts'

/** Seeds of random runs. */
const runs = 60

type Settled = typeof isImmutable
type Current = typeof fromCurrentReplica
interface Broken {
  isImmutable: Settled | null
  current: Current | null
}
const broken = vi.hoisted((): Broken => ({ isImmutable: null, current: null }))
vi.mock('../../services/api/rows/immutable.ts', async (original) => {
  const { isImmutable: sound } = await original<{ isImmutable: Settled }>()
  return { isImmutable: (...of: Parameters<Settled>) => (broken.isImmutable ?? sound)(...of) }
})

vi.mock('../../services/api/rows/replica-check.ts', async (original) => {
  const actual = await original<{ fromCurrentReplica: Current }>()
  const current: Current = (...of) => (broken.current ?? actual.fromCurrentReplica)(...of)
  return { ...actual, fromCurrentReplica: current }
})

afterEach(() => {
  vi.restoreAllMocks()
  broken.isImmutable = null
  broken.current = null
})

// Decision 26.
test('no answer is older than what the process has consumed, but stats by a window', async () => {
  for (let run = 0; run < runs; run++) {
    expect(await complaintsOf(testSeed + run), `seed ${testSeed + run}`).toEqual([])
  }
})

/** Questions that show the family by itself; all of them where many do. */
const askedOf: Readonly<Record<string, string>> = {
  logs_by_transaction: 'just_request_body',
  logs_by_address: '/logs',
  transfers_by_token: '/transfers',
  transfers_by_transaction: 'token-transfers',
  transactions_by_address: '/transactions',
  transactions: '/summary',
  holders: '/holders',
  nfts_by_owner: '/nft',
  balances_by_value: '/token',
  instances: '/nft',
  instance_metadata: '/nft',
  prices: '/transactions',
  token_state: '/token-balances',
  token_market: '/token-balances',
}

test('the same where processes load filters of absent subjects', async () => {
  for (let run = 0; run < runs; run++) {
    const seed = testSeed + run
    expect(await complaintsOf(seed, { hasFilters: true }), `seed ${seed}`).toEqual([])
  }
})

test('the same where one process waits for the page that the other one loads', async () => {
  for (let run = 0; run < runs; run++) {
    const seed = testSeed + run
    expect(await complaintsOf(seed, { hasLeases: true }), `seed ${seed}`).toEqual([])
  }
})

test.each([
  ['address_state', 40],
  ['address_labels', 5],
  ['contract_abis', 18],
  ['token_market', 71],
] as const)(
  'the checker finds it where a filter excludes subjects of %s that have changed since',
  async (table, likely) => {
    const { isUnchanged } = InvalidationClock.prototype
    const { excludes } = SubjectFilter.prototype
    let isInFilter = false
    vi.spyOn(SubjectFilter.prototype, 'excludes').mockImplementation(function (
      this: SubjectFilter,
      subject,
    ) {
      isInFilter = this.table === table
      const isExcluded = excludes.call(this, subject)
      isInFilter = false
      return isExcluded
    })
    vi.spyOn(InvalidationClock.prototype, 'isUnchanged').mockImplementation(function (
      this: InvalidationClock,
      ...args
    ) {
      return isInFilter || isUnchanged.apply(this, args)
    })
    const isAsked = (path: string) => path.includes(askedOf[table] ?? '')
    const isMoving = (component: string) => component.startsWith(table)
    expect(await foundBy({ isAsked, isMoving, hasFilters: true }, likely)).not.toBeNull()
  },
)

/** Rows written through by projectors hide most stale reads: about one seed in 40 finds one. */
const seedsMax = 240

/**
 * The first seed that finds a fault; null where none does.
 *
 * @param likely found it before, so it comes first: saves running up to a hundred others
 */
async function foundBy(about: CheckerOptions, likely = 1): Promise<number | null> {
  const others = Array.from({ length: seedsMax }, (_, at) => at + 1)
  for (const seed of [likely, ...others.filter((one) => one !== likely)]) {
    if ((await complaintsOf(seed, about)).length > 0) return seed
  }
  return null
}

test.each(followedFamilies.map(({ name }) => name))(
  'the checker finds it where answers forget that they depend on %s',
  async (family) => {
    const { on, onThrottled } = Dependencies.prototype
    const spied = Dependencies.prototype
    vi.spyOn(spied, 'on').mockImplementation(function (this: Dependencies, name, subjects) {
      if (name !== family) on.call(this, name, subjects)
    })
    vi.spyOn(spied, 'onThrottled').mockImplementation(function (this: Dependencies, ...args) {
      const [table, subjects] = args
      if (table === family) this.on(namesOf(table), subjects)
      else onThrottled.apply(this, args)
    })
    const isAsked = (path: string) => path.includes(askedOf[family] ?? '')
    const isMoving = (component: string) => component.startsWith(`${family}|`)
    expect(await foundBy({ isAsked, isMoving })).not.toBeNull()
  },
)

test('the checker finds it where gaps in the announcements are passed over', async () => {
  const { apply } = InvalidationClock.prototype
  const at = position(0)
  const ofNoBlock = { block: null, hash: null, time: null, facts: null }
  const none = { group: 'dimensions', after: at, position: at, moved: {}, ...ofNoBlock } as const
  vi.spyOn(InvalidationClock.prototype, 'apply').mockImplementation(function (
    this: InvalidationClock,
    offset,
    announced,
  ) {
    for (let at = this.now.offset; at < offset; at++) apply.call(this, at, none)
    apply.call(this, offset, announced === null ? none : { ...announced, after: position(0) })
  })
  expect(await foundBy({}, 13)).not.toBeNull()
})

test.each(cachedTables.map(({ name }) => name))(
  'the checker finds it where rows of %s in the shared cache are trusted, however old',
  async (table) => {
    const { minPositionOf } = CachePositions.prototype
    vi.spyOn(CachePositions.prototype, 'minPositionOf').mockImplementation(function (
      this: CachePositions,
      name,
      subject,
    ) {
      return name === table ? 0 : minPositionOf.call(this, name, subject)
    })
    const isAsked = (path: string) => path.includes(table === 'prices' ? '/transactions' : '/token')
    const isMoving = (component: string) => component.startsWith(table)
    expect(await foundBy({ isAsked, isMoving })).not.toBeNull()
  },
)

const deepFrom = (head: number) => head - 256
const listsByBlock = ['/transactions', '/transfers', '/logs']

test.each([
  ...listsByBlock.map((list) => `${list}?block_number=99999999`),
  ...listsByBlock.map((list) => `${list}?block_number=997`),
])('the checker finds it where a page of %s is settled by its rows alone', async (asked) => {
  broken.isImmutable = ({ after, limit }, rows, head) =>
    after !== null &&
    rows.length >= limit &&
    rows.every(({ blockNumber }) => blockNumber <= deepFrom(head))
  const isAsked = (path: string) => path.includes(asked)
  const isMoving = (component: string) => component.includes('_by_')
  expect(await foundBy({ isAsked, isMoving })).not.toBeNull()
})

test('the checker finds it where a page from the oldest on is settled by its cursor alone', async () => {
  broken.isImmutable = ({ after, limit }, rows, head) =>
    rows.length >= limit && after !== null && after.blockNumber <= deepFrom(head)
  const isAsked = (path: string) => path.includes('order=asc&block_number')
  const isMoving = (component: string) => component.startsWith('transactions_by_address')
  expect(await foundBy({ isAsked, isMoving })).not.toBeNull()
})

test('the checker finds it where the answers of late replicas are taken for current', async () => {
  broken.current = (_check, _group, ask) => ask({})
  const isMoving = (component: string) => component.includes('_by_')
  expect(await foundBy({ isMoving })).not.toBeNull()
})

test.each([
  ['/logs', 'logs_by_address', 10],
  ['/holders', 'address_labels', 4],
  ['/nft', 'token_state.names', 4],
] as const)(
  'the checker finds it where what late replicas say of %s is kept',
  async (asked, family, likely) => {
    broken.current = ({ announced }, group, ask) =>
      ask({ position: announced(group) ?? 0 }).catch(() => ask({}))
    const isAsked = (path: string) => path.includes(asked)
    const isMoving = (component: string) => component.startsWith(family)
    expect(await foundBy({ isAsked, isMoving }, likely)).not.toBeNull()
  },
)
