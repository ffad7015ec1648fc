import { cursorAfter, pageAsked } from '../../../libs/presenters/cursors/nfts-of-address.ts'
import { nftsOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import { nftObject } from '../../../libs/presenters/nft.ts'
import { Needs } from '../needs.ts'
import { addressRoute, cut } from '../route.ts'

export const nftsOfAddress = addressRoute({
  endpoint,
  pageAsked,
  answer: async ({ subject, asked }, reader) => {
    const { standards, after, size } = asked
    const limit = size + 1
    const rows = await reader.asks.nftsOfAddress({ owner: subject, standards, after, limit })
    const { shown, more } = cut(rows, size)
    const needs = new Needs()
    for (const row of shown) needs.instance(row.token, row.tokenId)
    const known = await reader.know(needs)
    const items = shown.map((row) => nftObject(row, known))
    return { body: { items, next_page_params: more && cursorAfter(more.last, asked) } }
  },
})
