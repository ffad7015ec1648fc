import { type QueryOptions, RowCut } from '../../ports/store.ts'
import type { CountedResponse } from './http-statements.ts'
import { IncompleteResponse } from './response-summary.ts'

/** Whether a response is what was asked for. @throws IncompleteResponse */
export type Check = (response: CountedResponse) => void | Promise<void>

/** Without a decoder only that there are rows, if there should be any. */
export const assertWhole =
  (countRows: QueryOptions['countRows']): Check =>
  async ({ body, summary }) => {
    const resultRows = summary.resultRows()
    const found = countRows ? await rowsIn(body, countRows) : Math.min(body.length, 1)
    const wanted = countRows ? resultRows : Math.min(resultRows, 1)
    if (found !== wanted) throw cut(`${found} of ${resultRows} rows arrived`)
  }

const cut = (detail: string) => new IncompleteResponse('did not send its whole response', detail)

async function rowsIn(body: Buffer, countRows: (result: Buffer) => Promise<number>) {
  try {
    return await countRows(body)
  } catch (error) {
    throw error instanceof RowCut ? cut('the result ends within a row') : error
  }
}
