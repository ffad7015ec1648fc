import { EngineFailure } from './engine-failure.ts'
import { type EngineAddress, queryEngine } from './query-engine.ts'

const nameForm = /^[a-z][a-z0-9_]{0,62}$/

/** Makes the database if it is missing; a store can only be opened on one that exists. */
export async function createDatabase(address: EngineAddress, name: string): Promise<void> {
  if (!nameForm.test(name)) throw new EngineFailure(`not a database name: ${name.slice(0, 80)}`)
  await queryEngine(address, `CREATE DATABASE IF NOT EXISTS ${name} ENGINE = Atomic`)
}
