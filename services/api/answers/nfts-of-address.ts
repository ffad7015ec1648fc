import { cursorAfter, pageAsked } from '../../../libs/presenters/cursors/nfts-of-address.ts'
import { nftsOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import { nftObject } from '../../../libs/presenters/nft.ts'
import { listPage } from '../list-page.ts'
import { Needs } from '../needs.ts'
import { addressRoute } from '../route.ts'

export const nftsOfAddress = addressRoute({
  endpoint,
  pageAsked,
  answer: async ({ subject, asked }, reader) => {
    const { standards, after, size } = asked
    const limit = size + 1
    const rows = await reader.asks.nftsOfAddress({ owner: subject, standards, after, limit })
    return listPage({
      rows,
      size,
      async present(shown) {
        const needs = new Needs()
        for (const row of shown) needs.instance(row.token, row.tokenId)
        const known = await reader.know(needs)
        return {
          item: (row) => nftObject(row, known),
          cursorAfter: ({ last }) => cursorAfter(last, asked),
        }
      },
    })
  },
})
