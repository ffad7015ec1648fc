import { z } from 'zod'
import { tokenObject, tokenSchema } from '../../../libs/presenters/objects/token.ts'
import { References } from '../rows/references.ts'
import { ofAddress } from './pipeline/route.ts'

export const tokenOfAddressRoute = ofAddress.page({
  path: '/api/v2/tokens/{address_hash}',
  mayBeUnknown: true,
  operationId: 'tokenOfAddress',
  example: { what: 'a token', of: 'tokens' },
  summary: 'A token',
  description: 'A token contract with its supply, holders and price.',
  body: tokenSchema,
  parameters: z.object({}),
  pageRequest: () => ({}),
  list: async ({ subject: token }) => ({ rows: [], token }),
  hydrate: (_, { token }) => new References().token(token),
  stats: 'exact',
  present({ skeleton, lookups }) {
    const token = lookups.token(skeleton.token)
    return token === null ? 'not found' : { body: tokenObject(token) }
  },
})
