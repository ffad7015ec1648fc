import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, address, withoutPrefix } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import { standards } from '../../libs/chain/token.ts'
import type { Store } from '../../libs/ports/store.ts'
import {
  type HoldersOfToken,
  holdersOfToken,
} from '../../libs/queries/holders-of-token/holders-of-token.ts'
import { nftsOfAddress } from '../../libs/queries/nfts-of-address/nfts-of-address.ts'
import { balancesOfAddress } from '../../libs/queries/tokens-of-address/tokens-of-address.ts'
import { bandOf } from '../../libs/tables/declare/band.ts'
import type { Row } from '../../libs/tables/declare/table.ts'
import { balancesByValue } from '../../libs/tables/tables/balances.ts'
import { holders } from '../../libs/tables/tables/holders.ts'
import { nftsByOwner } from '../../libs/tables/tables/instances.ts'
import { testStore } from '../support/engine.ts'
import { addressOf, historyOf, insertShuffled, settled, walked } from './histories.ts'
import { random as seeded } from './random.ts'

const random = seeded()
const seed = `FOLDSCAN_TEST_SEED=${random.seed}`
const sizes = ['a short list', 'a list buried in tombstones'] as const
/** Most rows of the second list are dead, more than the plain fetches pass. */
const keysOf = { [sizes[0]]: 300, [sizes[1]]: 6000 }
const isDead = (size: string) => (size === sizes[0] ? random.below(3) === 0 : random.below(40) > 0)

let store: Store
let drop: () => Promise<void>
beforeAll(async () => {
  const opened = await testStore()
  store = opened.store
  drop = opened.drop
})
afterAll(() => drop())

describe.each(sizes)('%s', (size) => {
  const subject = addressOf(100 + sizes.indexOf(size))

  test('of tokens of an address equals the naive one, page by page', async () => {
    const rows: Row<typeof balancesByValue>[] = []
    for (let ordinal = 1; ordinal <= keysOf[size]; ordinal++) {
      const key = {
        holder: subject,
        standard: random.below(4),
        value: random.oneOf([1n, 2n, 10n ** 18n, 2n ** 256n - 1n, BigInt(random.below(9999))]),
        ordinal,
        token: addressOf(random.below(50)),
        part: random.below(2),
        tokenId: random.oneOf([0n, 2n ** 256n - 1n]),
        observedAt: 0,
      }
      for (const version of historyOf(random, isDead(size))) rows.push({ ...key, ...version })
      // An id that a reorganisation gave to another token before.
      const orphan = { ...key, token: addressOf(60) }
      for (const version of historyOf(random, true)) rows.push({ ...orphan, ...version })
    }
    await insertShuffled(store, balancesByValue, { rows, parts: 3, random })
    for (const types of [standards, ['ERC-721'], ['ERC-20', 'ERC-404']] as const) {
      const expected = settled(balancesByValue, rows)
        .filter(({ standard }) => types.some((type) => standards.indexOf(type) === standard))
        .sort(
          (a, b) => Number(b.value > a.value) - Number(b.value < a.value) || b.ordinal - a.ordinal,
        )
      const list = { holder: subject, standards: types }
      const page = (after: Row<typeof balancesByValue> | null, limit: number) =>
        balancesOfAddress(store, { ...list, after, limit })
      expect(await walked(random, page), seed).toEqual(expected)
      expect(await page(null, 10_001), seed).toEqual(expected)
    }
  })

  test('of NFTs of an address equals the naive one, page by page', async () => {
    const rows = new Map<string, Row<typeof nftsByOwner>[]>()
    for (let count = 0; count < keysOf[size]; count++) {
      const key = {
        owner: subject,
        standard: 1 + random.below(3),
        token: addressOf(random.below(20)),
        tokenId: random.oneOf([BigInt(random.below(9999)), 2n ** 256n - 1n - BigInt(count)]),
      }
      const history = historyOf(random, isDead(size))
      const versions = history.map((one) => {
        // One version is the same row, however often it was written.
        const observedAt = [0, 0, 0, shownSince - 1, shownSince][Number(one.position) % 5] ?? 0
        return { ...key, observedAt, value: BigInt(one.position), ...one }
      })
      rows.set(nftsByOwner.keyOf(key), versions)
    }
    const all = [...rows.values()].flat()
    await insertShuffled(store, nftsByOwner, { rows: all, parts: 3, random })
    const odd = new Set(Array.from({ length: 15 }, (_, at) => addressOf(at)))
    const isShown = (row: Row<typeof nftsByOwner>) =>
      !odd.has(row.token) || row.observedAt >= shownSince
    const inDoubt = {
      listed: async (some: readonly Row<typeof nftsByOwner>[]) => some.filter(isShown),
      inDoubt: {
        areMet: () => true,
        among: async (tokens: readonly Address[]) => tokens.filter((token) => odd.has(token)),
      },
    }
    for (const [types, filters] of [
      [standards, {}],
      [['ERC-1155'], {}],
      [['ERC-404', 'ERC-721'], {}],
      [standards, inDoubt],
    ] as const) {
      const expected = settled(nftsByOwner, all)
        .filter((row) => filters !== inDoubt || isShown(row))
        .filter(({ standard }) => types.some((type) => standards.indexOf(type) === standard))
        .sort(
          (a, b) =>
            a.standard - b.standard ||
            Number(a.token > b.token) - Number(a.token < b.token) ||
            Number(b.tokenId > a.tokenId) - Number(b.tokenId < a.tokenId),
        )
      const list = { owner: subject, standards: types, ...filters }
      const page = (last: Row<typeof nftsByOwner> | null, limit: number) => {
        const after = last && { ...last, standard: standards[last.standard] ?? 'ERC-20' }
        return nftsOfAddress(store, { ...list, after, limit })
      }
      expect(await walked(random, page), seed).toEqual(expected)
    }
  })
})

describe('what lies behind more rows of tokens in doubt than a page may read', () => {
  const last = address(`0x${'f'.repeat(40)}`)
  const spam = Array.from({ length: 30 }, (_, at) => addressOf(at))
  const limit = 51
  const filters = {
    listed: async <R extends { token: Address }>(rows: readonly R[]) =>
      rows.filter(({ token }) => token === last),
    inDoubt: {
      areMet: () => true,
      among: async (some: readonly Address[]) => some.filter((token) => token !== last),
    },
  }
  const rowsOf = (token: Address, count: number) =>
    `unhex('${withoutPrefix(token)}') AS token, number AS tokenId, 0 AS observedAt,
      number + 1 AS position, 0 AS isDeleted FROM numbers(${count})`
  const rest = 'token, tokenId, observedAt, position, isDeleted'

  test('is found among NFTs', async () => {
    const owner = addressOf(300)
    const insert = (token: Address, count: number) =>
      store.execute(`INSERT INTO ${nftsByOwner.stored} (owner, standard, value, ${rest})
        SELECT unhex('${withoutPrefix(owner)}'), 1, 1, ${rowsOf(token, count)}`)
    for (const token of spam) await insert(token, 2_000)
    await insert(last, 3)
    const found = await nftsOfAddress(store, { owner, standards, after: null, limit, ...filters })
    expect(found.map(({ tokenId }) => tokenId)).toEqual([2n, 1n, 0n])
  })

  test('is found among balances', async () => {
    const holder = addressOf(301)
    const insert = (token: Address, count: number, value: number) =>
      store.execute(`INSERT INTO ${balancesByValue.stored} (holder, standard, value, ordinal, part, ${rest})
        SELECT unhex('${withoutPrefix(holder)}'), 2, ${value}, number, 1, ${rowsOf(token, count)}`)
    for (const [at, token] of spam.entries()) await insert(token, 2_000, 100 - at)
    await insert(last, 3, 1)
    const list = { holder, standards: ['ERC-1155'], after: null, limit } as const
    const found = await balancesOfAddress(store, { ...list, ...filters })
    expect(found.map(({ tokenId }) => tokenId)).toEqual([2n, 1n, 0n])
  })
})

/** Of tokens in doubt only what was observed from this block on is shown. */
const shownSince = 7

const stepped = (values: number) => () => 1_000_000n + BigInt(random.below(values)) * 3000n
/** In the band of the airdrops below. */
const different = () => 965_000n + BigInt(random.below(35_000))

/** What tokens look like to the list of holders. */
const tokens = {
  'a token with few holders': { holders: 400, valueOf: stepped(2 ** 31), alive: 3, moving: 1 },
  'a token with equal balances': { holders: 3000, valueOf: stepped(3), alive: 3, moving: 1 },
  'a token with one large band': { holders: 3000, valueOf: stepped(1), alive: 3, moving: 1 },
  'a token with a large band of different balances': {
    holders: 3000,
    valueOf: different,
    alive: 3,
    moving: 1,
  },
  'a token with two airdrops in one band': {
    holders: 4000,
    valueOf: () => [990_000n, 970_000n, different()][random.below(3)] ?? 0n,
    alive: 3,
    // Most balances stay as the airdrop left them.
    moving: 16,
  },
  'a token that nearly all have left': {
    holders: 9000,
    valueOf: stepped(64),
    alive: 400,
    moving: 1,
  },
} as const

describe.each(Object.entries(tokens))('%s', (name, form) => {
  test('lists its holders as the naive list does, page by page', async () => {
    const token = addressOf(200 + Object.keys(tokens).indexOf(name))
    const rows = new Map<string, Row<typeof holders>[]>()
    for (let count = 0; count < form.holders; count++) {
      const value = form.valueOf()
      const key = {
        token,
        band: bandOf(value),
        holder: addressOf(random.below(form.holders * 2)),
        part: random.below(2),
        tokenId: 0n,
      }
      if (key.part === 1) key.tokenId = BigInt(random.below(4))
      const isMoving = random.below(form.moving) === 0
      const dead = form.alive === 3 ? random.below(3) === 0 : random.below(form.alive) > 0
      const versions = historyOf(random, dead).map((version) => {
        // Versions of one row differ in value, inside the band and in its order.
        const moved = isMoving ? value + BigInt(version.position % 7) : value
        // … and in whether they were observed, a tombstone as the row that it deletes.
        const seen = { observedAt: (version.position + count) % 3 }
        return { ...key, ...seen, value: bandOf(moved) === key.band ? moved : value, ...version }
      })
      rows.set(holders.keyOf(key), versions)
    }
    const all = [...rows.values()].flat()
    await insertShuffled(store, holders, { rows: all, parts: 3, random })
    const expected = settled(holders, all).sort(
      (a, b) =>
        Number(b.value > a.value) - Number(b.value < a.value) ||
        Number(b.holder > a.holder) - Number(b.holder < a.holder) ||
        b.part - a.part ||
        Number(b.tokenId - a.tokenId),
    )
    const page = (last: Row<typeof holders> | null, limit: number) => {
      const after = last && { ...last, tokenId: last.part === 0 ? null : last.tokenId }
      return holdersOfToken(store, { token, after, limit })
    }
    expect(expected.length).toBeGreaterThan(5)
    expect(await walked(random, page), seed).toEqual(expected)
    // Contract 64: of a token in doubt only holders that were observed since.
    const shownSince = 1
    const seen = (last: Row<typeof holders> | null, limit: number) => {
      const after = last && { ...last, tokenId: last.part === 0 ? null : last.tokenId }
      return holdersOfToken(store, { token, after, limit, shownSince })
    }
    const left = expected.filter(({ observedAt }) => observedAt >= shownSince)
    expect(await walked(random, seen), seed).toEqual(left)
  })
})

// Decision 54.
test('a cursor without token id goes on strictly after value and holder', async () => {
  const token = addressOf(300)
  const version = { observedAt: 0, position: position(1), isDeleted: 0 }
  const row = { token, band: bandOf(5n), part: 1, value: 5n, ...version }
  const ids = [3n, 2n, 1n].map((tokenId) => ({ ...row, holder: addressOf(9), tokenId }))
  const rows = [...ids, { ...row, holder: addressOf(8), tokenId: 7n }]
  await insertShuffled(store, holders, { rows, parts: 1, random })
  const after = { value: 5n, holder: addressOf(9), tokenId: null }
  const found = await holdersOfToken(store, { token, after, limit: 10 })
  expect(found.map(({ holder }) => holder)).toEqual([addressOf(8)])
})

test('a fungible balance follows the instances of its holder and value', async () => {
  const token = addressOf(301)
  const version = { observedAt: 0, position: position(1) }
  const row = { token, band: bandOf(5n), holder: addressOf(9), value: 5n, ...version }
  const instances = [2n, 1n, 0n].map((tokenId) => ({ ...row, part: 1, tokenId, isDeleted: 0 }))
  const expected = [...instances, { ...row, part: 0, tokenId: 0n, isDeleted: 0 }]
  await insertShuffled(store, holders, { rows: expected, parts: 1, random })
  let after: HoldersOfToken['after'] = null
  for (const next of expected) {
    const [found] = await holdersOfToken(store, { token, after, limit: 1 })
    expect(found).toMatchObject({ part: next.part, tokenId: next.tokenId })
    after = { ...row, tokenId: next.part === 0 ? null : next.tokenId }
  }
  expect(await holdersOfToken(store, { token, after, limit: 1 })).toEqual([])
})
