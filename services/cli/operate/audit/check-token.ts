import type { ContractAnswer } from '../../../../libs/adapters/rpc/node-reader.ts'
import { type Address, zeroAddress } from '../../../../libs/chain/hex.ts'
import { queryOfCursor } from '../explorer/cursor.ts'
import { balanceCall, decimalsIn, textOf, uintOf, wordCall } from './contract-calls.ts'
import { type Finding, type Judged, judgedValue, type PageLook } from './finding.ts'
import { heldAt } from './holdings.ts'
import { type ShownToken, shownHolders, shownToken } from './shown-bodies.ts'
import {
  answersAt,
  lookAt,
  Moved,
  type PageQuery,
  type ShownPage,
  shownPage,
  type Witnesses,
  wholeList,
} from './witnesses.ts'

const tokenPath = (token: Address): string => `/api/v2/tokens/${token}`

const tokenPage = ({ api }: Witnesses, token: Address) =>
  shownPage(api, { path: tokenPath(token), schema: shownToken })

/**
 * Name, symbol, decimals and supply.
 * @param onShown receives the token, if Foldscan has one there
 */
export const checkToken = (
  witnesses: Witnesses,
  token: Address,
  onShown: (token: ShownToken) => unknown,
): Promise<PageLook> =>
  lookAt(tokenPath(token), async () => {
    const page = await tokenPage(witnesses, token)
    if (page.body === null) return [missingToken(page)]
    onShown(page.body)
    const calls = (['name', 'symbol', 'decimals', 'totalSupply'] as const).map((word) =>
      wordCall(token, word),
    )
    return wordsOf(page, page.body, await answersAt(witnesses.node, page, calls))
  })

/** It was named because a log of an indexed block moved some of it. */
const missingToken = ({ path, block }: ShownPage<unknown>): Finding => ({
  ...{ kind: 'words', standard: null, path, field: 'token', block },
  ...judgedValue(null, 'a token by its logs', { isPromised: true }),
})

function wordsOf(
  { path, block }: ShownPage<unknown>,
  token: ShownToken,
  [name, symbol, decimals, supply]: readonly ContractAnswer[],
): readonly Finding[] {
  const of = { standard: token.type, path, block }
  const words = (field: 'name' | 'symbol' | 'decimals', told: string | null): Finding[] =>
    token[field] === null && told === null
      ? []
      : [{ ...of, kind: 'words', field, ...judgedValue(token[field], told) }]
  const total = uintOf(supply)
  return [
    ...words('name', notBlank(textOf(name))),
    ...words('symbol', notBlank(textOf(symbol))),
    ...words('decimals', decimalsIn(decimals)?.toString() ?? null),
    ...(token.total_supply === null && total === null
      ? []
      : [
          {
            ...{ ...of, kind: 'supplies' as const, field: 'total_supply' },
            ...judgedValue(token.total_supply, total?.toString() ?? null),
          },
        ]),
  ]
}

/** Blank words are shown as none (decision 53). */
const notBlank = (text: string | null): string | null =>
  text === null || text.trim() === '' ? null : text

const pageItems = '100'

interface HoldersPage {
  readonly token: ShownToken
  /** Cursor of the page. */
  readonly query: PageQuery
  /** Receives the cursor of the next page, null at the end, and the values in order. */
  readonly onShown?: (next: PageQuery | null, values: readonly bigint[]) => void
}

/** One page of the holders of a token. */
export function checkHolders(
  { api, node }: Witnesses,
  { token, query, onShown }: HoldersPage,
): Promise<PageLook> {
  const path = `${tokenPath(token.address_hash)}/holders`
  return lookAt(path, async () => {
    const sized = { items_count: pageItems, ...query }
    const page = await shownPage(api, { path, query: sized, schema: shownHolders })
    const { items, next_page_params: next } = page.body ?? { items: [], next_page_params: null }
    onShown?.(
      next === null ? null : queryOfCursor(next),
      items.map(({ value }) => value),
    )
    const holdings = items.map(({ address: { hash: holder }, token_id: tokenId, value }) => ({
      ...{ kind: 'holders' as const, token: token.address_hash, standard: token.type },
      ...{ holder, tokenId, value, isComplete: token.holders_count !== null },
      field: tokenId === null ? holder : `${holder} id ${tokenId}`,
    }))
    return heldAt(node, page, holdings)
  })
}

/** More holders are not walked at one block: meanwhile another one comes. */
const countedPagesMax = 10

/**
 * What no contract says: whether the holders are as many as is said, and of an ERC-20 have the
 * supply together. No findings of a token that has more of them than fit.
 */
export const checkCounters = (witnesses: Witnesses, token: Address): Promise<PageLook> =>
  lookAt(tokenPath(token), async () => {
    const path = `${tokenPath(token)}/holders`
    const list = { path, schema: shownHolders, pagesMax: countedPagesMax }
    const held = await wholeList(witnesses.api, list)
    if (held === null) return []
    const page = await tokenPage(witnesses, token)
    if (page.block !== held.block) throw new Moved('token and holders are of different blocks')
    if (page.body === null) return []
    const { type: standard, holders_count: count } = page.body
    const of = { kind: 'counters' as const, standard, path: page.path, block: page.block }
    const holders = new Set(held.items.map(({ address }) => address.hash))
    const counted = judgedValue(count === null ? null : `${count}`, `${holders.size}`)
    const findings: Finding[] = [{ ...of, field: 'holders_count', ...counted }]
    if (standard !== 'ERC-20') return findings
    const [supply, burnt] = await answersAt(witnesses.node, page, [
      wordCall(token, 'totalSupply'),
      balanceCall(token, zeroAddress),
    ])
    const together = held.items.reduce((sum, { value }) => sum + value, 0n)
    const sum = judgedSum(together, { supply: uintOf(supply), burnt: uintOf(burnt), count })
    return [...findings, { ...of, field: 'sum of holders', ...sum }]
  })

interface Told {
  readonly supply: bigint | null
  /** What the zero address has, which is no holder. */
  readonly burnt: bigint | null
  readonly count: string | number | null
}

/** Only where all holders are known they have to have the supply together. */
function judgedSum(sum: bigint, { supply, burnt, count }: Told): Judged {
  const told = supply === sum + (burnt ?? 0n) ? sum : supply
  const found = judgedValue(`${sum}`, told?.toString() ?? null)
  return found.outcome === 'differing' && count === null ? { ...found, outcome: 'unknown' } : found
}
