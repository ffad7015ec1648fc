import { ClickHouseError } from '@clickhouse/client'
import {
  type DenialKind,
  QuorumLost,
  ResultTooLarge,
  StoreBehind,
  StoreDenied,
  StoreFailed,
  StoreMissing,
  StoreUnavailable,
  TooManyRows,
} from '../../ports/store.ts'
import { IncompleteResponse } from './response-summary.ts'

/** Of `throwIf` in the check of a replica. */
const behindCode = '395'

/** Of a result above `max_result_bytes`, or of rows to sort above `max_bytes_to_sort`. */
const tooLargeCode = '396'
/** Of a query above `max_rows_to_read`. */
const tooManyRowsCode = '158'

/** Error codes of ClickHouse that mean "not now": the same statement may succeed later. */
const passing: Readonly<Record<string, string>> = {
  '3': 'its connection was lost',
  '159': 'the statement took too long',
  '173': 'it cannot allocate memory',
  '198': 'it cannot resolve the name of another server',
  '202': 'too many statements run at once',
  '203': 'it has no free connection to another server',
  '209': 'a socket timed out',
  '210': 'the network failed',
  '225': 'its Keeper is unavailable',
  '236': 'the statement was aborted',
  '241': 'the memory for statements is used up',
  '242': 'the table is read-only, for example while its Keeper is unavailable',
  '243': 'its disk is full',
  '252': 'it merges more slowly than rows arrive',
  '279': 'no server with the rows is reachable',
  '285': 'too few replicas live',
  '286': 'the replicas do not agree on the insert before yet',
  '289': 'this replica is behind the others',
  '319': 'the replicas did not confirm the insert',
  '394': 'the statement was cancelled',
  '439': 'it has no free thread',
  '499': 'its object storage does not answer',
  '745': 'the server is overloaded',
  '999': 'its Keeper does not answer',
}

/** Those of an insert that too few replicas confirm. */
const ofQuorum = new Set(['285', '286', '319'])

/** Error codes of authentication and access rights. */
const denied: Readonly<Record<string, DenialKind>> = {
  '192': 'credentials',
  '193': 'credentials',
  '194': 'credentials',
  '195': 'credentials',
  '497': 'rights',
  '516': 'credentials',
}
/** No such table, no such database. */
const missing = new Set(['60', '81'])

/** Another server behind the same address may not have them: a replica that is being filled. */
export const isOfOneServer = (code: string): boolean => code === behindCode || missing.has(code)

/** The certificate is not trusted, or the server has no TLS: a retry changes nothing. */
const isMistrusted =
  /SELF_SIGNED|CERT|UNABLE_TO_(?:VERIFY|GET)|ERR_TLS|ERR_SSL|EPROTO|wrong version number|certificate/

/** A socket that the other side had closed already: nothing was wrong with the statement. */
export const isReset = (error: unknown): boolean =>
  /ECONNRESET|EPIPE|socket hang up/.test(words(error))

/** Whether the server itself returned the error: then it is available. */
export const isServerError = (error: Error): boolean => error.cause instanceof ClickHouseError

/** What the words of a failed connection mean, in this order. */
const connectionFailures: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, 'cannot be reached: nothing listens there'],
  [/ENOTFOUND|EAI_AGAIN/, 'cannot be reached: no such host is known'],
  [/EHOST|ENETUNREACH|ECONNABORTED|ETIMEDOUT/, 'cannot be reached'],
  [/ECONN|EPIPE|socket hang up|aborted|Premature close/, 'closed the connection'],
]

interface StoreErrorContext {
  /** Names the server in sentences: `ClickHouse at http://127.0.0.1:8123`. */
  readonly server: string
  /** The table or query, never values. */
  readonly asked: string
  /** How long the client waits for an answer. */
  readonly timeoutMs: number
}

export const serverAt = (url: string): string => `ClickHouse at ${url.replace(/\/+$/, '')}`

/**
 * Classifies an error for the caller: StoreUnavailable if waiting may help, StoreDenied and
 * StoreMissing if an operator has to act, StoreFailed for other errors of the server. Each sentence
 * contains the server, its address, and the request.
 */
export function storeError(error: unknown, { server, asked, timeoutMs }: StoreErrorContext): Error {
  if (error instanceof ResultTooLarge) return error
  if (error instanceof ClickHouseError) return answeredError(error, server, asked)
  const detail = words(error)
  if (isMistrusted.test(detail)) {
    return new StoreDenied('certificate', `${server} is not trusted (${asked}): ${detail}`, {
      cause: error,
    })
  }
  if (detail === 'Timeout error.') {
    const sentence = `${server} did not answer within ${timeoutMs} ms (${asked})`
    return new StoreUnavailable(sentence, { cause: error })
  }
  if (error instanceof TypeError || error instanceof RangeError) return error
  if (error instanceof IncompleteResponse) {
    return new StoreUnavailable(`${server} ${error.meaning} (${asked}: ${detail})`, {
      cause: error,
    })
  }
  // Else a proxy, or something that is no ClickHouse at all: both may pass.
  const meaning =
    connectionFailures.find(([form]) => form.test(detail))?.[1] ??
    'does not respond like ClickHouse'
  const sentence = `${server} ${meaning} (${asked}: ${oneLine(detail)})`
  return new StoreUnavailable(sentence, { cause: error })
}

function answeredError(error: ClickHouseError, server: string, asked: string): Error {
  const options = { cause: error }
  if (error.code === behindCode) {
    return new StoreBehind(
      `${server} has not caught up with the announced position (${asked})`,
      options,
    )
  }
  if (error.code === tooLargeCode) {
    return new ResultTooLarge(
      `${server} has more bytes to sort or to return than the query may (${asked})`,
      options,
    )
  }
  if (error.code === tooManyRowsCode) {
    return new TooManyRows(`${server} would read more rows than the query may (${asked})`, options)
  }
  const reason = passing[error.code]
  if (reason !== undefined) {
    const Unavailable = ofQuorum.has(error.code) ? QuorumLost : StoreUnavailable
    return new Unavailable(`${server} cannot answer now: ${reason} (${asked})`, options)
  }
  const detail = `${oneLine(error.message)} (${error.type ?? error.code})`
  const sentence = `${server} reports an error (${asked}): ${detail}`
  const denial = denied[error.code]
  if (denial !== undefined) return new StoreDenied(denial, sentence, options)
  if (missing.has(error.code)) return new StoreMissing(sentence, options)
  return new StoreFailed(sentence, options)
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 400).trim()

function words(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? `${error.code} ` : ''
  return `${code}${error.message}`
}
