import { EngineFailure } from './engine-failure.ts'

/** Where an engine listens, and as whom to ask. */
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
  return text
}

/**
 * The engine opens a table without the parts that it cannot read, and reports nothing: rows would
 * be missing silently. Parts that a crash left incomplete were never acknowledged, and do not
 * count.
 * @returns names of the tables that lack rows, or nothing.
 */
export const damagedTables = async (address: EngineAddress): Promise<string> =>
  (
    await queryEngine(
      address,
      `SELECT arrayStringConcat(arraySort(groupUniqArray(table)), ', ')
       FROM system.detached_parts WHERE reason LIKE 'broken%' FORMAT TSVRaw`,
    )
  ).trim()

const nameForm = /^[a-z][a-z0-9_]{0,62}$/

/** Makes the database if it is missing; a store can only be opened on one that exists. */
export async function createDatabase(address: EngineAddress, name: string): Promise<void> {
  if (!nameForm.test(name)) throw new EngineFailure(`not a database name: ${name.slice(0, 80)}`)
  await queryEngine(address, `CREATE DATABASE IF NOT EXISTS ${name} ENGINE = Atomic`)
}
