import type { QueryCost } from '../../ports/store.ts'

/**
 * What `X-ClickHouse-Summary` says of a statement. It is exact, as responses are sent once the
 * statement is done (`wait_end_of_query`).
 */
export interface ResponseSummary extends QueryCost {
  /**
   * Of the result, without totals and extremes, which RowBinary does not have.
   * @throws IncompleteResponse
   */
  readonly resultRows: () => number
  /**
   * Of an insert, those of materialized views included.
   * @throws IncompleteResponse
   */
  readonly writtenRows: () => number
}

/** Not an answer: a response without that header, or one that is not what it says. */
export class IncompleteResponse extends Error {
  override readonly name = 'IncompleteResponse'
  /** What the server did, for sentences that name it. */
  readonly meaning: string

  constructor(meaning: string, detail: string) {
    super(detail)
    this.meaning = meaning
  }
}

const noSummary = (detail: string) =>
  new IncompleteResponse('does not respond like ClickHouse', detail)

/**
 * Any server may answer 200, for example a proxy with a page of its own; ClickHouse sends this
 * header with each response.
 * @throws IncompleteResponse
 */
export function summaryOf(header: string | string[] | undefined): ResponseSummary {
  if (typeof header !== 'string') throw noSummary('no X-ClickHouse-Summary')
  const found = parsed(header)
  return {
    rowsRead: Number(Reflect.get(found, 'read_rows') ?? 0),
    bytesRead: Number(Reflect.get(found, 'read_bytes') ?? 0),
    resultRows: () => count(found, 'result_rows'),
    writtenRows: () => count(found, 'written_rows'),
  }
}

function parsed(header: string): object {
  try {
    const found: unknown = JSON.parse(header)
    if (typeof found === 'object' && found !== null) return found
  } catch {
    // Not JSON at all: the same error as for JSON that is no object.
  }
  throw noSummary('X-ClickHouse-Summary is no JSON')
}

const countForm = /^\d{1,15}$/

function count(summary: object, name: string): number {
  const value: unknown = Reflect.get(summary, name)
  if (typeof value === 'string' && countForm.test(value)) return Number(value)
  throw noSummary(`X-ClickHouse-Summary has no ${name}`)
}
