import { describe, expect, it } from 'vitest'
import type { Address } from '../../../libs/chain/hex.ts'
import { memoryCache } from '../../../libs/ports/testing/memory-cache.ts'
import { aTransaction, aTransfer, indexOf } from '../../../libs/presenters/testing/rows.ts'
import {
  balance,
  contract,
  type Fact,
  minted,
  nftMinted,
  nftMoved,
  observed,
  person,
  together,
  transferred,
} from '../../../libs/projections/testing/facts.ts'
import { logOf, withoutEarlierCode } from '../../../libs/projections/testing/log-of.ts'
import type { Announcement } from '../../../libs/topics/changes.ts'
import type { Answers } from '../testing/answers.ts'
import { foldedTables } from '../testing/folded-tables.ts'
import { bodyOf, testApi } from '../testing/test-api.ts'

const [coin, cats] = [contract(1), contract(3)]
const people = Array.from({ length: 10 }, (_, n) => person(n + 1))
const [alice = coin, bob = coin, ...others] = people
const all = (does: (who: Address, at: number) => ReturnType<typeof minted>) =>
  together(...people.map(does))
const seen = (token: Address, values: readonly (readonly [Address, bigint])[]) =>
  observed({
    balances: values.flatMap(([who, value]) => balance(token, who, [null, value]).balances),
  })

/** Sent by bob, though it is alice's. */
const wrong = nftMoved(cats, [bob, others[0] ?? coin], 0n)
const transfer = aTransfer({ token: cats, tokenId: 0n, form: indexOf('ERC-721') })
const { hash } = aTransaction()

/** What the state fold does not write: one transfer, of an id of the collection. */
const ofLedger: Answers = {
  transfersOfToken: async () => [transfer],
  transfersOfTransaction: async () => [transfer],
  transactionsByHash: async () => new Map([[hash, aTransaction()]]),
}

/** Whose pages are asked for: both who come into doubt, and two of the others. */
const shownPeople = people.slice(0, 4)

/** The token, and two pages of its holders. */
const [tokenPages, holderPages] = [3, 2]
/** With the owner of the id. */
const transferPages = 2

/** Pages of all kinds that show balances, holders, owners or counts of the two tokens. */
const paths = [
  ...[coin, cats].flatMap((token) => [
    `/api/v2/tokens/${token}`,
    `/api/v2/tokens/${token}/holders`,
    `/api/v2/tokens/${token}/holders?items_count=2`,
  ]),
  ...shownPeople.flatMap((who) => [
    `/api/v2/addresses/${who}/tokens`,
    `/api/v2/addresses/${who}/token-balances`,
    `/api/v2/addresses/${who}/nft`,
  ]),
  `/api/v2/tokens/${cats}/transfers`,
  `/api/v2/transactions/${hash}/token-transfers`,
]

/**
 * Folds each fact, then takes them back, last first. After each message two processes, which share
 * a cache, answer what one without any cache does.
 * @returns how many pages each message changed, on the way there and back
 */
async function followed(facts: readonly Fact[], fewBalances: boolean) {
  const tables = foldedTables({ fewBalances })
  let reads = 0
  const counted = Object.fromEntries(
    Object.entries({ ...tables.answers, ...ofLedger }).map(([name, answer]) => [
      name,
      (options: never) => {
        reads += 1
        return Reflect.apply(answer, undefined, [options])
      },
    ]),
  )
  const cache = memoryCache({ bytesMax: 10_000_000 })
  const processes = [1, 2].map(() => testApi(counted, { cache }))
  const bodies = async (process: (typeof processes)[number]) => {
    const found = new Map<string, unknown>()
    for (const path of paths) {
      const response = await process.ask(path, { headers: { accept: '*/*' } })
      found.set(path, response.status === 200 ? bodyOf(response) : response.status)
    }
    return found
  }
  let before = new Map<string, unknown>()
  let position = 0
  const changedBy = async (moved: Announcement['moved']) => {
    position += 1
    for (const { announce } of processes) announce('state', position, { moved })
    const fresh = testApi({ ...tables.answers, ...ofLedger })
    fresh.announce('state', position)
    const now = await bodies(fresh)
    for (const process of processes) expect(await bodies(process)).toEqual(now)
    const soFar = reads
    for (const process of processes) await bodies(process)
    expect(reads, 'all pages are kept').toBe(soFar)
    const changed = paths.filter((path) => !isAlike(now.get(path), before.get(path)))
    before = now
    return changed.length
  }
  await changedBy({})
  const forth: number[] = []
  for (const message of logOf(withoutEarlierCode(facts))) {
    forth.push(await changedBy(tables.fold([message])))
  }
  const back: number[] = []
  for (const _ of facts) back.unshift(await changedBy(tables.takeBack(1)))
  return { forth, back }
}

const isAlike = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

describe.each([true, false])('pages of a token that comes into doubt (few balances: %s)', (few) => {
  it('of amounts are read anew when a balance falls below zero, and at the verdict', async () => {
    const { forth, back } = await followed(
      [
        all((who) => minted(coin, who, 5n)),
        transferred(coin, [alice, bob], 9n),
        seen(coin, [[bob, 14n]]),
        seen(
          coin,
          others.map((who) => [who, 5n]),
        ),
      ],
      few,
    )
    // The token with its holders; what bob has; those and what two others have.
    const everything = tokenPages + 2 * shownPeople.length
    expect(forth).toEqual([everything, everything, holderPages + 2, holderPages + 2 * 2])
    expect(back).toEqual(forth)
  })

  it('of ids are read anew when another than the owner sends one, and at the verdict', async () => {
    const { forth, back } = await followed(
      [
        all((who, at) => nftMinted(cats, who, BigInt(at))),
        wrong,
        observed({ owners: [{ token: cats, tokenId: 0n, owner: others[0] ?? alice }] }),
        seen(
          cats,
          others.map((who, at) => [who, at === 0 ? 2n : 1n]),
        ),
      ],
      few,
    )
    // Then: the owner of one id; the counts of bob and two others, with their ids.
    const everything = tokenPages + 3 * shownPeople.length + transferPages
    const [owner, counts] = [1 + transferPages, holderPages + 3 * 3]
    expect(forth).toEqual([everything, everything, owner, counts])
    expect(back).toEqual(forth)
  })
})
