import { position } from '../../libs/chain/position.ts'
import type { Store } from '../../libs/ports/store.ts'
import { progress } from '../../libs/tables/progress.ts'
import { RowSink } from '../../libs/tables/row-binary.ts'
import type { Row } from '../../libs/tables/table.ts'

type ProgressRow = Row<typeof progress>
/** All but the position may be omitted. */
export type Reached = { readonly position: number } & Partial<
  Omit<ProgressRow, 'group' | 'position' | 'isDeleted'>
>

/** The same for each of these names: of a group and its marks. */
export const progressRows = (names: readonly string[], reached: Reached): ProgressRow[] =>
  names.map((group) => ({
    blockNumber: null,
    blockHash: null,
    timestamp: null,
    knownFrom: 0,
    logHash: null,
    ...reached,
    group,
    position: position(reached.position),
    isDeleted: 0,
  }))

/** In one insert: all of them, or none. */
export async function writeProgress(store: Store, rows: readonly ProgressRow[]): Promise<void> {
  const sink = new RowSink()
  for (const row of rows) progress.encode(sink, row)
  await store.insert(progress.name, Object.keys(progress.allColumns), sink.bytes())
}
