import { z } from 'zod'
import { type ErrorCode, errorBody, errors, type Fault, fault } from '../errors.ts'
import { queryCharactersMax } from '../parameters.ts'
import { named } from '../schemas.ts'

/** Headers, errors and everything else that the answers of all endpoints share. */

const faultSchema = z.object({
  title: z.literal('Invalid value').describe('Kind of the fault; always this text.'),
  source: z
    .object({
      pointer: z
        .string()
        .describe('The parameter, after a slash; that of the path ends in _param.'),
    })
    .describe('Which parameter it is about.'),
  detail: z.string().describe('What is wrong with it.'),
})

/** The one shape of every error. */
named(
  'Error',
  z
    .object({
      message: z.string().describe('What went wrong; the same for each status.'),
      errors: z
        .array(faultSchema)
        .optional()
        .describe('One for each invalid parameter; only of status 422.'),
    })
    .describe('The body of every error.'),
)

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }
/** Clients of this API expect -1 where there is no limit. */
const countOfLimit = { type: 'integer', minimum: -1 }

const headers = {
  'x-request-id': {
    description:
      'Id of the request: the one it had if that is well-formed, else the trace id of its ' +
      'traceparent, else a new one. Log lines of the server name it.',
    schema: text,
  },
  'x-ratelimit-limit': {
    description: 'Requests per window of this client or API key; -1 without limits.',
    schema: countOfLimit,
  },
  'x-ratelimit-remaining': {
    description: 'Requests left in this window; -1 without limits.',
    schema: countOfLimit,
  },
  'x-ratelimit-reset': {
    description: 'Milliseconds until the window ends; -1 without limits.',
    schema: countOfLimit,
  },
  'x-api-key-status': {
    description: 'Present if the API key is unknown or revoked: the client is limited by address.',
    schema: { ...text, enum: ['unknown'] },
  },
  'bypass-429-option': {
    description: 'The same always: a captcha does not raise the limit.',
    schema: { ...text, enum: ['no_bypass'] },
  },
  'x-indexed-block': {
    description: 'Newest block that all lists contain; absent before the first one.',
    schema: count,
  },
  'x-indexed-at': {
    description: 'Time of x-indexed-block, ISO 8601.',
    schema: { ...text, format: 'date-time' },
  },
  'cache-control': {
    description: 'Bodies may be cached and must be revalidated; errors are not cached.',
    schema: text,
  },
  etag: { description: 'Identifies these bytes: send it as if-none-match.', schema: text },
  'x-truncated': {
    description: 'Items shown, if that is not all of them.',
    schema: count,
  },
  'x-order-changed': {
    description: 'Present if the rates of the walk have expired: items may repeat or be missing.',
    schema: { ...text, enum: ['rates'] },
  },
  'retry-after': { description: 'Seconds to wait.', schema: count },
  allow: { description: 'Methods of every path.', schema: text },
} as const

type Header = keyof typeof headers
/** Headers that some endpoints have besides those of all. */
export type OwnHeader = Extract<Header, 'x-truncated' | 'x-order-changed'>

const ofAll: readonly Header[] = [
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-api-key-status',
  'bypass-429-option',
]
const freshness: readonly Header[] = ['x-indexed-block', 'x-indexed-at']

/** Of a response: those of all, and these. */
export const headersOf = (own: readonly Header[]) =>
  Object.fromEntries(
    [...ofAll, 'cache-control', ...own].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  )

export const freshHeaders: readonly Header[] = [...freshness, 'etag']

interface Failing {
  /** When it is answered. */
  readonly when: string
  readonly headers: readonly Header[]
  readonly faults?: readonly Fault[]
}

/** A request that is refused unread is not told how fresh the data are. */
const failing: Readonly<Record<ErrorCode, Failing>> = {
  unknownAction: {
    when: 'No such path: a segment is missing or empty.',
    headers: freshness,
  },
  notFound: { when: 'The token or transaction is unknown.', headers: freshness },
  methodNotAllowed: {
    when: 'Another method than GET, HEAD and OPTIONS.',
    headers: [...freshness, 'allow'],
  },
  notAcceptable: { when: 'The accept header excludes application/json.', headers: freshness },
  uriTooLong: {
    when: `The query has more than ${queryCharactersMax} characters.`,
    headers: freshness,
  },
  invalidParameters: {
    when: 'A parameter of the path or of the query is invalid; errors names each.',
    headers: freshness,
    faults: [fault('items_count', '0 is smaller than inclusive minimum 1')],
  },
  tooManyRequests: { when: 'The client or API key is over its limit.', headers: ['retry-after'] },
  headersTooLarge: { when: 'The headers are too large together.', headers: [] },
  internal: { when: 'A fault of the server: its log has x-request-id.', headers: freshness },
  unavailable: {
    when: 'A server that is needed is unavailable or overloaded.',
    headers: [...freshness, 'retry-after'],
  },
}

const isCode = (name: string): name is ErrorCode => name in errors
const codes = Object.keys(failing).filter(isCode)

const failure = (code: ErrorCode) => ({
  description: failing[code].when,
  headers: headersOf(failing[code].headers),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      example: errorBody(code, failing[code].faults),
    },
  },
})

const notModified = {
  description: 'The ETag of if-none-match is current; there is no body.',
  headers: headersOf(freshHeaders),
}

/** What all operations refer to. */
export const sharedResponses = {
  headers,
  responses: {
    notModified,
    ...Object.fromEntries(codes.map((code) => [code, failure(code)])),
  },
}

/** References to all answers but 200, by status. */
export const otherResponses = ({ mayBeUnknown }: { readonly mayBeUnknown: boolean }) => ({
  304: { $ref: '#/components/responses/notModified' },
  ...Object.fromEntries(
    codes
      .filter((code) => code !== 'notFound' || mayBeUnknown)
      .map((code) => [errors[code].status, { $ref: `#/components/responses/${code}` }]),
  ),
})
