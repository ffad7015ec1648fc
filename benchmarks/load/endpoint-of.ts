import type { Route } from '../../services/api/endpoints/pipeline/route.ts'
import type { Endpoint } from './traffic.ts'

/** A route with the kind of subject that its path takes. */
export const endpointOf = ({ path, subject }: Route): Endpoint => ({
  path,
  subject:
    subject !== 'address' ? 'transactions' : path.includes('/tokens/{') ? 'tokens' : 'addresses',
})
