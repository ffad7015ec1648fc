import type { Address } from '../../../../libs/chain/hex.ts'
import type { PageLook } from './finding.ts'
import { heldAt, type ShownHolding } from './holdings.ts'
import { type ShownToken, shownBalances, shownNfts } from './shown-bodies.ts'
import { lookAt, shownPage, someOf, type Witnesses } from './witnesses.ts'

/** What an address received or sent in a block that is indexed. */
export interface Moving {
  readonly token: ShownToken
  /** Null for an amount. */
  readonly tokenId: bigint | null
}

export interface AuditedAddress {
  readonly holder: Address
  /** Lists should have these, if the address still has them. */
  readonly movings: readonly Moving[]
}

/** Items of a list that are compared; of a longer one by chance. */
const itemsMax = 100
/** Lists that end in themselves; a longer one may be cut, and then lacks what it would have. */
const wholeItemsMax = 1_000

/** All that an address holds. */
export function checkBalances(
  { api, node, random }: Witnesses,
  { holder, movings }: AuditedAddress,
): Promise<PageLook> {
  const path = `/api/v2/addresses/${holder}/token-balances`
  return lookAt(path, async () => {
    const page = await shownPage(api, { path, schema: shownBalances })
    const items = page.body ?? []
    const shown = items.map(({ token, token_id: tokenId, value }) =>
      holdingOf('balances', { token, holder, tokenId, value }),
    )
    const moved = movings.map(({ token, tokenId }) => {
      // Of an ERC-721 the list has their number.
      const listed = token.type === 'ERC-721' ? null : tokenId
      return holdingOf('balances', { token, holder, tokenId: listed, value: null })
    })
    const others = withoutShown(moved, shown)
    const isWhole = items.length < wholeItemsMax
    return heldAt(node, page, [...someOf(random, shown, itemsMax), ...(isWhole ? others : [])])
  })
}

/** The ids that an address owns: the first of them. */
export function checkOwned(
  { api, node }: Witnesses,
  { holder, movings }: AuditedAddress,
): Promise<PageLook> {
  const path = `/api/v2/addresses/${holder}/nft`
  return lookAt(path, async () => {
    const query = { items_count: `${itemsMax}` }
    const page = await shownPage(api, { path, query, schema: shownNfts })
    const { items, next_page_params: next } = page.body ?? { items: [], next_page_params: null }
    const shown = items.map(({ token, id: tokenId, value }) =>
      holdingOf('owners', { token, holder, tokenId, value }),
    )
    const ids = movings.filter(({ token, tokenId }) => token.type !== 'ERC-20' && tokenId !== null)
    const moved = ids.map((id) => holdingOf('owners', { ...id, holder, value: null }))
    const others = next === null ? withoutShown(moved, shown) : []
    return heldAt(node, page, [...shown, ...others])
  })
}

function holdingOf(
  kind: 'balances' | 'owners',
  { token, holder, tokenId, value }: Moving & { holder: Address; value: bigint | null },
): ShownHolding {
  const name = token.address_hash
  return {
    ...{ kind, token: name, standard: token.type, holder, tokenId, value },
    field: tokenId === null ? name : `${name} id ${tokenId}`,
    isComplete: token.holders_count !== null,
  }
}

/** What a list does not have, each once. */
function withoutShown(
  moved: readonly ShownHolding[],
  shown: readonly ShownHolding[],
): readonly ShownHolding[] {
  const others = new Map(moved.map((holding) => [holding.field, holding]))
  for (const { field } of shown) others.delete(field)
  return [...others.values()]
}
