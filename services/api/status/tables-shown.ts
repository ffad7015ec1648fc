import { type Store, StoreDenied } from '../../../libs/ports/store.ts'
import { type TableSize, tableSizes } from '../../../libs/tables/table-sizes.ts'
import { transfersByTransaction } from '../../../libs/tables/tables/transfers.ts'
import { ReadAtMost } from './read-at-most.ts'

const readEveryMs = 15_000
const readDeadlineMs = 5_000
/** How far back the rate of transfers looks. */
const rateMs = 60_000

interface TransferRows {
  readonly at: number
  readonly rows: number
}

export interface TablesShown {
  /** Null until they were read once. */
  readonly sizes: readonly TableSize[] | null
  /** Why they are missing or old; null if they are current. */
  readonly problem: 'not permitted' | 'not answered' | null
  /** Rows of transfers that were added; null until there are two reads within a minute or so. */
  readonly transfersPerSecond: number | null
}

/** Sizes of the tables, read while somebody watches. */
export class ShownTables {
  private readonly sizes: ReadAtMost<readonly TableSize[]>
  private transfers: readonly TransferRows[] = []

  constructor(store: Pick<Store, 'query'>, now: () => number = () => performance.now()) {
    this.sizes = new ReadAtMost({
      everyMs: readEveryMs,
      deadlineMs: readDeadlineMs,
      now,
      read: async (signal) => {
        const sizes = await tableSizes(store, signal)
        this.count(sizes, now())
        return sizes
      },
    })
  }

  get shown(): TablesShown {
    const { value, failure } = this.sizes.latest
    return { sizes: value, problem: problemOf(failure), transfersPerSecond: this.rate() }
  }

  private count(sizes: readonly TableSize[], at: number): void {
    const rows = sizes.find(({ table }) => table === transfersByTransaction.stored)?.rows
    if (rows === undefined) return
    // Not further back: nobody may have watched for hours.
    const kept = this.transfers.filter((count) => at - count.at <= rateMs + readEveryMs)
    this.transfers = [...kept, { at, rows }]
  }

  private rate(): number | null {
    const [first, newest] = [this.transfers[0], this.transfers.at(-1)]
    if (first === undefined || newest === undefined || first === newest) return null
    // Merges remove rows that were replaced.
    const added = Math.max(0, newest.rows - first.rows)
    return Number(((added * 1_000) / (newest.at - first.at)).toPrecision(3))
  }
}

function problemOf(failure: unknown): TablesShown['problem'] {
  if (failure === null) return null
  return failure instanceof StoreDenied ? 'not permitted' : 'not answered'
}
