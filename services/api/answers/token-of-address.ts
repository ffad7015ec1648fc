import { tokenOfAddress as endpoint } from '../../../libs/presenters/endpoints.ts'
import { tokenObject } from '../../../libs/presenters/token.ts'
import { Needs } from '../needs.ts'
import { addressRoute } from '../route.ts'

export const tokenOfAddress = addressRoute({
  endpoint,
  pageAsked: () => ({}),
  answer: async ({ subject }, reader) => {
    const known = await reader.know(new Needs().token(subject), 'exact')
    const token = known.token(subject)
    return token === null ? 'not found' : { body: tokenObject(token) }
  },
})
