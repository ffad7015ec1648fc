import { z } from 'zod'
import { chainAfter, type Step } from './chain-plan.ts'
import type { KeptService } from './kept-service.ts'
import { foes, people, tokens, wrapped } from './planned-traffic.ts'

const peopleAsked = 6
const blocksAsked = [0, 5, 40, 70]

/** All ten endpoints, of subjects that stand at the end whatever was left on the way. */
export function pagePaths(plan: readonly Step[]): string[] {
  const standing = chainAfter(plan)
  const ofAddress = ['tokens', 'transactions', 'token-balances', 'nft']
  const ofToken = ['', '/transfers', '/holders']
  const blocks = [...blocksAsked.map((at) => standing[at]), standing.at(-1)]
  const hashes = blocks.flatMap((block) => z.array(receipt).parse(block?.receipts ?? []))
  return [
    ...people
      .slice(0, peopleAsked)
      .flatMap((person) => ofAddress.map((list) => `/api/v2/addresses/${person}/${list}`)),
    ...[...tokens, wrapped].flatMap((token) =>
      ofToken.map((list) => `/api/v2/tokens/${token}${list}`),
    ),
    ...tokens.map((token) => `/api/v2/addresses/${token}/logs`),
    ...hashes.flatMap(({ transactionHash }) =>
      ['token-transfers', 'summary'].map(
        (list) => `/api/v2/transactions/${transactionHash}/${list}`,
      ),
    ),
  ]
}

const receipt = z.looseObject({ transactionHash: z.string() })

/** What an api answers, by path; of lists the second page as well. */
export type Pages = ReadonlyMap<string, string>

const more = z.looseObject({ next_page_params: z.record(z.string(), z.unknown()) })

export async function pagesOf(api: KeptService, paths: readonly string[]): Promise<Pages> {
  const origin = await api.running.origin()
  const textOf = async (path: string) => {
    const response = await fetch(origin + path)
    return `${response.status} ${await response.text()}`
  }
  const pages = new Map<string, string>()
  for (const path of paths) {
    const first = await textOf(path)
    pages.set(path, first)
    const { data } = more.safeParse(JSON.parse(first.slice(4)))
    if (data === undefined) continue
    const asked = new URLSearchParams()
    for (const [name, value] of Object.entries(data.next_page_params)) asked.set(name, `${value}`)
    const second = `${path}?${asked}`
    pages.set(second, await textOf(second))
  }
  return pages
}

const listOrItems = z.union([
  z.array(z.unknown()),
  z.looseObject({ items: z.array(z.unknown()), next_page_params: z.null() }),
])

/**
 * Balances in the order of their texts. Served, they follow the rates of an hour, which depend on
 * when rates were published: they are the same for all who ask one run, but not in two runs. And
 * without what is shown of a token whose contract lies, which depends on samples: its balances,
 * supply and holders, as `alikeInRuns` says of its rows.
 */
export function alikePages(pages: Pages): Pages {
  return new Map(
    [...pages].map(([path, text]) => {
      const status = text.slice(0, 4)
      const body: unknown = JSON.parse(text.slice(4), withoutSamples)
      const { data } = listOrItems.safeParse(body)
      if (!ofBalances.test(path) || data === undefined) {
        return [path, `${status}${JSON.stringify(body)}`]
      }
      const items = (Array.isArray(data) ? data : data.items).filter((item) => !isOfFoe(item))
      return [path, `${status}${items.map((item) => JSON.stringify(item)).sort()}`]
    }),
  )
}

const shownToken = z.looseObject({ address_hash: z.string(), total_supply: z.unknown() })
const ofToken = z.looseObject({ token: shownToken })

const isFoe = ({ address_hash: token }: z.infer<typeof shownToken>): boolean =>
  foes.some((foe) => foe === token.toLowerCase())

const isOfFoe = (item: unknown): boolean => isFoe(ofToken.parse(item).token)

/** For `JSON.parse`. */
function withoutSamples(_key: string, value: unknown): unknown {
  const { data } = shownToken.safeParse(value)
  if (data === undefined || !('total_supply' in data) || !isFoe(data)) return value
  return { ...data, total_supply: null, holders_count: null }
}

const ofBalances = /\/addresses\/[^/]+\/(tokens|token-balances)$/

export const differingPages = (name: string, found: Pages, wanted: Pages): string[] =>
  [...wanted].flatMap(([path, text]) => {
    const own = found.get(path) ?? 'nothing'
    return own === text ? [] : [`${name}: ${path} returns ${difference(own, text)}`]
  })

const shownMax = 120

/** Around the first character that differs. */
function difference(found: string, wanted: string): string {
  let at = 0
  while (found[at] === wanted[at]) at += 1
  const around = (text: string) => text.slice(Math.max(0, at - shownMax), at + shownMax)
  return `${around(found)} instead of ${around(wanted)}`
}
