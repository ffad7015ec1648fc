import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  aBalance,
  aHash,
  aHolder,
  anAddress,
  anInstance,
  anNft,
  aToken,
  aTransaction,
  aTransfer,
  indexOf,
} from '../../../libs/presenters/testing/rows.ts'
import { instanceKey } from '../../../libs/queries/instances/instances.ts'
import { part } from '../../../libs/tables/tables/balances.ts'
import { packedTransfers } from '../../../libs/tables/tables/transaction-columns.ts'
import type { Answers } from '../testing/answers.ts'
import { bodyOf, testApi } from '../testing/test-api.ts'

/** Decision 64: of a token in doubt only rows that were observed from this block on are shown. */
const shownSince = 7
const address = anAddress(0xa1)
const [odd, plain] = [anAddress(0x70), anAddress(0x71)]
const states = new Map([
  [odd, aToken({ token: odd, shownSince, standard: indexOf('ERC-721') })],
  [plain, aToken({ token: plain, standard: indexOf('ERC-721') })],
])

/** Of three rows in a row one is of the plain token, one hidden and one observed. */
const mixed = <R>(count: number, rowOf: (at: number, token: typeof odd, observedAt: number) => R) =>
  Array.from({ length: count }, (_, at) =>
    at % 3 === 0 ? rowOf(at, plain, 0) : rowOf(at, odd, at % 3 === 1 ? shownSince - 1 : shownSince),
  )
const isHidden = (row: { token: string; observedAt: number }) =>
  row.token === odd && row.observedAt < shownSince

const pageForm = z.object({
  items: z.array(z.record(z.string(), z.unknown())),
  next_page_params: z.record(z.string(), z.union([z.string(), z.number(), z.null()])).nullable(),
})

/** Hours since 1970 of the rates, where there are any. */
const rateHour = 470_000

/** More than any list here has. */
const pagesMax = 200

/** All items of a list, page by page. A page with a next one is as long as was asked for. */
async function walked(answers: Answers, path: string, size: number) {
  const api = testApi({ tokenStates: async () => states, ...answers })
  api.announce('dimensions', 1, { time: rateHour * 3_600 })
  const items: Record<string, unknown>[] = []
  let query = `items_count=${size}`
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = pageForm.parse(bodyOf(await api.ask(`${path}?${query}`)))
    items.push(...page.items)
    if (page.next_page_params === null) return items
    expect(page.items, `${path}?${query}`).toHaveLength(size)
    const cursor = Object.entries(page.next_page_params).map(([key, value]) => [key, `${value}`])
    query = new URLSearchParams(Object.fromEntries(cursor)).toString()
  }
  throw new Error(`${path}: no last page`)
}

type Listed<R> = ((rows: readonly R[]) => Promise<readonly R[]>) | undefined
const cut = async <R>(rows: readonly R[], limit: number, listed?: Listed<R>) =>
  (listed === undefined ? rows : await listed(rows)).slice(0, limit)

/** None, a few and many hidden rows lie before, between and after those that are shown. */
const sizes = [1, 2, 3, 50]
const counts = [1, 2, 3, 30, 151]

describe('rows of a token in doubt that are not shown', () => {
  it.each(sizes)('leave no place in pages of %i NFTs', async (size) => {
    for (const count of counts) {
      const rows = mixed(count, (at, token, observedAt) =>
        anNft({ token, tokenId: BigInt(count - at), observedAt }),
      )
      const nftsOfAddress: NonNullable<Answers['nftsOfAddress']> = ({ after, limit, listed }) =>
        cut(
          rows.filter(({ tokenId }) => after === null || tokenId < after.tokenId),
          limit,
          listed,
        )
      const items = await walked({ nftsOfAddress }, `/api/v2/addresses/${address}/nft`, size)
      const shown = rows.filter((row) => !isHidden(row))
      expect(items.map(({ id }) => id)).toEqual(shown.map(({ tokenId }) => `${tokenId}`))
    }
  })

  it.each(sizes.flatMap((size) => [true, false].map((isFew) => [size, isFew] as const)))(
    'leave no place in pages of %i balances (few: %s)',
    async (size, isFew) => {
      for (const count of counts) {
        const rows = mixed(count, (at, token, observedAt) =>
          aBalance({ token, value: BigInt(count - at), ordinal: count - at, observedAt }),
        )
        const answers: Answers = {
          allBalancesOfAddress: async () => (isFew ? rows : null),
          balancesOfAddress: ({ after, limit, listed }) =>
            cut(
              rows.filter(({ value }) => after === null || value < after.value),
              limit,
              listed,
            ),
        }
        const shown = rows.filter((row) => !isHidden(row)).map(({ value }) => `${value}`)
        const items = await walked(answers, `/api/v2/addresses/${address}/tokens`, size)
        expect(items.map(({ value }) => value)).toEqual(shown)
        const path = `/api/v2/addresses/${address}/token-balances`
        const whole = await testApi({ tokenStates: async () => states, ...answers }).ask(path)
        expect(whole.headers['x-truncated']).toBeUndefined()
        expect(bodyOf(whole)).toMatchObject(shown.map((value) => ({ value })))
      }
    },
  )

  it.each(sizes)('leave no place in pages of %i rated balances', async (size) => {
    // Every fifth is of an id, which has no fiat value.
    const rows = mixed(30, (at, token, observedAt) =>
      aBalance({
        ...{ token, value: BigInt(30 - at), ordinal: 30 - at, observedAt },
        ...(at % 5 === 0 && { part: part.instance, tokenId: BigInt(at) }),
      }),
    )
    const ratedOf = <R extends { part: number }>(some: readonly R[]) =>
      some.filter((row) => row.part === part.fungible)
    for (const isFew of [true, false]) {
      const answers: Answers = {
        allBalancesOfAddress: async () => (isFew ? rows : null),
        ratedBalancesOfAddress: async () => ratedOf(rows),
        ratesOfHour: async () => new Map([odd, plain].map((token) => [token, '2'])),
        balancesOfAddress: ({ after, limit, listed }) =>
          cut(
            rows.filter(({ value }) => after === null || value < after.value),
            limit,
            listed,
          ),
      }
      const items = await walked(answers, `/api/v2/addresses/${address}/tokens`, size)
      const shown = rows.filter((row) => !isHidden(row))
      const first = ratedOf(shown)
      const values = [...first, ...shown.filter((row) => !first.includes(row))]
      expect(items.map(({ value }) => value)).toEqual(values.map(({ value }) => `${value}`))
    }
  })

  it.each(sizes)('leave no place in pages of %i holders', async (size) => {
    for (const count of counts) {
      const rows = mixed(count, (at, _token, observedAt) =>
        aHolder({ token: odd, holder: anAddress(0x900 - at), value: 5n, observedAt }),
      )
      const holdersOfToken: NonNullable<Answers['holdersOfToken']> = async (asked) =>
        rows
          .filter(({ observedAt }) => observedAt >= (asked.shownSince ?? 0))
          .filter(({ holder }) => asked.after === null || holder < asked.after.holder)
          .slice(0, asked.limit)
      const items = await walked({ holdersOfToken }, `/api/v2/tokens/${odd}/holders`, size)
      const shown = rows.filter(({ observedAt }) => observedAt >= shownSince)
      expect(items).toHaveLength(shown.length)
    }
  })

  it('make empty pages without a next one where there are no others', async () => {
    const hidden = <R>(rowOf: (at: number) => R) =>
      Array.from({ length: 200 }, (_, at) => rowOf(at))
    const nfts = hidden((at) => anNft({ token: odd, tokenId: BigInt(200 - at) }))
    const balances = hidden((at) => aBalance({ token: odd, value: BigInt(200 - at), ordinal: at }))
    const answers: Answers = {
      nftsOfAddress: ({ limit, listed }) => cut(nfts, limit, listed),
      balancesOfAddress: ({ limit, listed }) => cut(balances, limit, listed),
      holdersOfToken: async (asked) => (asked.shownSince === shownSince ? [] : [aHolder()]),
    }
    const paths = ['nft', 'tokens'].map((list) => `/api/v2/addresses/${address}/${list}`)
    for (const path of [...paths, `/api/v2/tokens/${odd}/holders`]) {
      expect(await walked(answers, path, 50)).toEqual([])
    }
  })
})

describe('the owner of an id of a token in doubt', () => {
  const hash = aHash(0x7a)
  const owner = anAddress(0xa5)
  const standard = indexOf('ERC-721')
  const ids = [
    { token: plain, tokenId: 1n, observedAt: 0 },
    { token: odd, tokenId: 2n, observedAt: shownSince - 1 },
    { token: odd, tokenId: 3n, observedAt: shownSince },
  ]
  const transfers = ids.map((id, logIndex) => aTransfer({ ...id, logIndex, form: standard }))
  const answers: Answers = {
    tokenStates: async () => states,
    instancesByKey: async () =>
      new Map(ids.map((id) => [instanceKey(id), anInstance({ ...id, owner })])),
    transfersOfToken: async () => transfers,
    transfersOfTransaction: async () => transfers,
    transactionsByHash: async () => new Map([[hash, aTransaction({ hash })]]),
    transactionsOfAddress: async () => [
      aTransaction({
        hash,
        transfersCount: transfers.length,
        firstTransfers: packedTransfers(aHash(0xb1), transfers),
      }),
    ],
    nftsOfAddress: async () =>
      ids.map((id) => anNft({ ...id, owner, standard, observedAt: shownSince })),
    allBalancesOfAddress: async () =>
      ids.map((id, at) =>
        aBalance({ ...id, part: part.instance, ordinal: 9 - at, standard, observedAt: shownSince }),
      ),
  }

  it.each([
    `/api/v2/tokens/${odd}/transfers`,
    `/api/v2/transactions/${hash}/token-transfers`,
    `/api/v2/addresses/${address}/transactions`,
    `/api/v2/addresses/${address}/nft`,
    `/api/v2/addresses/${address}/tokens`,
    `/api/v2/addresses/${address}/token-balances`,
  ])('is shown if it was observed: %s', async (path) => {
    const found = new Map<string, unknown>()
    const look = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      const { id, owner: shown, is_unique: isUnique } = z.looseObject({}).parse({ ...value })
      if (isUnique !== undefined) {
        expect(isUnique).toBe(true)
        found.set(String(id), shown)
      }
      for (const inner of Object.values(value)) look(inner)
    }
    look(bodyOf(await testApi(answers).ask(path)))
    expect([...found.keys()].sort()).toEqual(['1', '2', '3'])
    expect(found.get('2')).toBeNull()
    const whole = { hash: expect.stringMatching(new RegExp(owner, 'i')) }
    expect([found.get('1'), found.get('3')]).toMatchObject([whole, whole])
  })
})
