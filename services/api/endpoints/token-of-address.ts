import { tokenOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import { tokenObject } from '../../../libs/presenters/token.ts'
import { References } from '../render/references.ts'
import { addressRoute } from './route.ts'

export const tokenOfAddressRoute = addressRoute({
  endpoint,
  pageRequest: () => ({}),
  answer: async ({ subject }, reader) => {
    const lookups = await reader.lookUp(new References().token(subject), 'exact')
    const token = lookups.token(subject)
    return token === null ? 'not found' : { body: tokenObject(token) }
  },
})
