import { setImmediate } from 'node:timers/promises'
import type { QueryOptions, QueryParameters, Store } from '../../ports/store.ts'
import { RowSource } from './row-binary.ts'

/** Decoded in one iteration of the event loop: about a millisecond. */
const pauseEveryBytes = 256 * 1024

interface ReadOptions extends QueryOptions {
  readonly sql: string
  readonly parameters?: QueryParameters
}

/**
 * The rows of a query, as many as the server says. They are decoded while the store checks that,
 * and only once.
 */
export async function readRows<R>(
  store: Pick<Store, 'query'>,
  { sql, parameters = {}, ...options }: ReadOptions,
  decode: (source: RowSource) => R,
): Promise<R[]> {
  let last: { readonly result: Buffer; readonly rows: R[] } | null = null
  const rowsOf = async (result: Buffer): Promise<R[]> => {
    if (last?.result === result) return last.rows
    const rows = await decoded(result, decode)
    last = { result, rows }
    return rows
  }
  const countRows = async (result: Buffer) => (await rowsOf(result)).length
  return await rowsOf(await store.query(sql, parameters, { ...options, countRows }))
}

async function decoded<R>(result: Buffer, decode: (source: RowSource) => R): Promise<R[]> {
  const source = new RowSource(result)
  const rows: R[] = []
  let pauseAt = pauseEveryBytes
  while (!source.done) {
    rows.push(decode(source))
    if (source.bytesRead < pauseAt) continue
    await setImmediate()
    pauseAt = source.bytesRead + pauseEveryBytes
  }
  return rows
}
