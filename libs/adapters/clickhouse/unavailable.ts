import { ClickHouseError } from '@clickhouse/client'
import { type DenialKind, StoreDenied, StoreMissing, StoreUnavailable } from '../../ports/store.ts'

/** Codes of the engine that mean "not now": the same statement may succeed later. */
const passing: Readonly<Record<string, string>> = {
  '159': 'the statement took too long',
  '202': 'too many statements run at once',
  '209': 'a socket timed out',
  '210': 'the network failed',
  '225': 'its Keeper is away',
  '236': 'the statement was aborted',
  '241': 'the memory for statements is used up',
  '242': 'the table is read-only, as while its Keeper is away',
  '243': 'its disk is full',
  '252': 'it merges more slowly than rows arrive',
  '285': 'too few replicas live',
  '286': 'the replicas do not agree on the insert before yet',
  '319': 'the replicas did not say whether they have it',
  '394': 'the statement was cancelled',
  '745': 'the server is overloaded',
  '999': 'its Keeper does not answer',
}

/** Codes about who we are and what we may. */
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

/** A server that we cannot trust, or that does not speak TLS: asking again changes nothing. */
const isMistrusted =
  /SELF_SIGNED|CERT|UNABLE_TO_(?:VERIFY|GET)|ERR_TLS|ERR_SSL|EPROTO|wrong version number|certificate/

/** A socket that the other side had closed already: nothing was wrong with the statement. */
export const isReset = (error: unknown): boolean =>
  /ECONNRESET|EPIPE|socket hang up/.test(words(error))

/** Whether the server itself said so: whatever it says, it is there. */
export const isSaidByServer = (error: Error): boolean => error.cause instanceof ClickHouseError

const isAway =
  /ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|socket hang up|Timeout error|aborted|Premature close/

/**
 * What went wrong, for the caller: StoreUnavailable where waiting may help, StoreDenied and
 * StoreMissing where somebody has to do something, else an error with the engine's words and what
 * was asked of it (a table or a question, never values).
 */
export function storeError(error: unknown, asked: string): Error {
  if (error instanceof ClickHouseError) {
    const reason = passing[error.code]
    if (reason !== undefined) return new StoreUnavailable(`${asked}: ${reason}`, { cause: error })
    const said = error.message.replace(/\s+/g, ' ').slice(0, 400).trim()
    const sentence = `${asked}: ${said} (${error.type ?? error.code})`
    const denial = denied[error.code]
    if (denial !== undefined) return new StoreDenied(denial, sentence, { cause: error })
    if (missing.has(error.code)) return new StoreMissing(sentence, { cause: error })
    return new Error(sentence, { cause: error })
  }
  const said = words(error)
  if (isMistrusted.test(said)) {
    return new StoreDenied('certificate', `${asked}: ${said}`, { cause: error })
  }
  if (isAway.test(said)) return new StoreUnavailable(`${asked}: ${said}`, { cause: error })
  return error instanceof Error ? error : new Error(`${asked}: ${said}`)
}

function words(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? `${error.code} ` : ''
  return `${code}${error.message}`.slice(0, 400)
}
