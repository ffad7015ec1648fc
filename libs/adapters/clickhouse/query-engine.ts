import { runbooks } from '../../signals/runbooks.ts'
import { summaryOf } from './response-summary.ts'

/** Address and credentials of an engine. */
export interface EngineAddress {
  readonly url: string
  readonly username: string
  readonly password: string
}

const askTimeoutMs = 5_000

/** In the form of the store's client: the engine compares the header as a whole. */
export const authorizationOf = (who: Pick<EngineAddress, 'username' | 'password'>): string =>
  `Basic ${Buffer.from(`${who.username}:${who.password}`).toString('base64')}`

/** One statement, its answer as text. For starting and stopping; the rest goes by the store. */
export async function queryEngine(address: EngineAddress, sql: string): Promise<string> {
  const answer = await fetch(address.url, {
    method: 'POST',
    body: sql,
    headers: {
      authorization: authorizationOf(address),
      // Else this connection would keep a finished process from ending.
      connection: 'close',
    },
    signal: AbortSignal.timeout(askTimeoutMs),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text.slice(0, 300))
  summaryOf(answer.headers.get('x-clickhouse-summary') ?? undefined)
  return text
}

/**
 * The engine opens a table without the parts that it cannot read, and reports nothing: rows would
 * be missing silently. Parts that a crash left incomplete were never acknowledged, and do not
 * count.
 * @returns names of the tables that lack rows, or nothing.
 * @throws EngineFailure if the answer is cut
 */
export async function damagedTables(address: EngineAddress): Promise<string> {
  const row = await queryEngine(
    address,
    `SELECT arrayStringConcat(arraySort(groupUniqArray(table)), ', ')
     FROM system.detached_parts WHERE reason LIKE 'broken%' FORMAT TSVRaw`,
  )
  // One row, whatever the tables: without its end it may name only some of them, or none.
  if (!row.endsWith('\n')) throw new EngineFailure('the list of damaged tables ends early')
  return row.trim()
}

const nameForm = /^[a-z][a-z0-9_]{0,62}$/

/** Makes the database if it is missing; a store can only be opened on one that exists. */
export async function createDatabase(address: EngineAddress, name: string): Promise<void> {
  if (!nameForm.test(name)) throw new EngineFailure(`not a database name: ${name.slice(0, 80)}`)
  await queryEngine(address, `CREATE DATABASE IF NOT EXISTS ${name} ENGINE = Atomic`)
}

/** Why an engine did not start, or went. The message is one sentence for people. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure'
}

interface Symptom {
  readonly words: RegExp
  readonly sentence: (folder: string, detail: string) => string
}

/** Messages of the engine and their meaning here; the first match counts. */
const symptoms: readonly Symptom[] = [
  { words: /QUERY_WAS_CANCELLED/, sentence: () => 'the engine was stopped' },
  {
    words: /Cannot lock file|Another server instance/,
    sentence: (folder) => `another engine is using the folder ${folder}; stop it first`,
  },
  {
    words: /no space left on device|NOT_ENOUGH_SPACE|errno: 28\b/i,
    sentence: (folder) => `the disk of ${folder} is full; free some space and start again`,
  },
  {
    words: /permission denied|errno: 13\b|Read-only file system/i,
    sentence: (folder) => `the engine may not write to the folder ${folder}`,
  },
  {
    words: /cannot open shared object|Dynamic linking error|GLIBC/i,
    sentence: (_, detail) => `this machine cannot load the engine's library: ${detail}`,
  },
]

/** True where the engine lost a race for its port, which another try can win. */
export const portWasTaken = (output: string): boolean => /Address already in use/.test(output)

/** The sentence for the last output of the engine before its exit, and the signal that ended it. */
export function engineFailure(
  folder: string,
  output: string,
  signal: string | null = null,
): string {
  const detail = lastException(output)
  for (const { words, sentence } of symptoms) {
    if (words.test(output)) return sentence(folder, detail)
  }
  return detail === ''
    ? `the engine on ${folder} ended without output (${signal ?? 'no signal'})`
    : `the engine cannot open the folder ${folder}, which may be damaged: ${detail}; ` +
        `see ${runbooks.corruptFolder}`
}

const detailMaxChars = 300

function lastException(output: string): string {
  const start = output.lastIndexOf('DB::Exception: ')
  const text = start < 0 ? output : output.slice(start + 'DB::Exception: '.length)
  return text.replace(/\s+/g, ' ').trim().slice(0, detailMaxChars).replace(/\.$/, '')
}
