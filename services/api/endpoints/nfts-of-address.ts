import { cursorAfter, pageRequest } from '../../../libs/presenters/cursors/nfts-of-address.ts'
import { nftsOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import { nftObject } from '../../../libs/presenters/instance.ts'
import { nftsOfAddress } from '../../../libs/queries/nfts-of-address.ts'
import { listPage } from '../render/list-page.ts'
import { References } from '../render/references.ts'
import { addressRoute } from './route.ts'

export const nftsOfAddressRoute = addressRoute({
  endpoint,
  pageRequest,
  answer: async ({ subject, requested }, reader) => {
    const { standards, after, size } = requested
    const limit = size + 1
    const rows = await reader.read(nftsOfAddress, { owner: subject, standards, after, limit })
    return listPage({
      rows,
      size,
      async present(shown) {
        const references = new References()
        for (const row of shown) references.instance(row.token, row.tokenId)
        const lookups = await reader.lookUp(references)
        return {
          item: (row) => nftObject(row, lookups),
          cursorAfter: ({ last }) => cursorAfter(last, requested),
        }
      },
    })
  },
})
