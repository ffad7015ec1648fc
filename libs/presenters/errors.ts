/** Everything that can go wrong, as clients see it: one table code -> status -> sentence. */
export const errors = {
  invalidParameters: { status: 422, message: 'Invalid parameter(s)' },
  notFound: { status: 404, message: 'Not found' },
  unknownAction: { status: 400, message: 'Unknown API v2 action' },
  methodNotAllowed: { status: 405, message: 'Method not allowed' },
  notAcceptable: { status: 406, message: 'Not acceptable: answers are application/json' },
  uriTooLong: { status: 414, message: 'URI too long' },
  headersTooLarge: { status: 431, message: 'Request header fields too large' },
  tooManyRequests: { status: 429, message: 'Too many requests' },
  unavailable: { status: 503, message: 'Service unavailable, try again later' },
  internal: { status: 500, message: 'Internal server error' },
} as const

export type ErrorCode = keyof typeof errors

/** A parameter at fault; `pointer` names it. */
export interface Fault {
  readonly title: 'Invalid value'
  readonly source: { readonly pointer: string }
  readonly detail: string
}

export const fault = (parameter: string, detail: string): Fault => ({
  title: 'Invalid value',
  source: { pointer: `/${parameter}` },
  detail,
})

interface ErrorBody {
  readonly message: string
  readonly errors?: readonly Fault[]
}

/** The one shape of every error; `errors` only where parameters are at fault. */
export const errorBody = (code: ErrorCode, faults: readonly Fault[] = []): ErrorBody =>
  faults.length === 0
    ? { message: errors[code].message }
    : { message: errors[code].message, errors: faults }
