import { type AbiEntry, parseAbiEntry } from '../chain/abi-entry.ts'
import { type Hex, withoutPrefix } from '../chain/hex.ts'
import type { Store } from '../ports/store.ts'
import type { Row } from '../tables/declare/table.ts'
import { signatures as table } from '../tables/tables/abis.ts'
import { ascending } from './reading/parameters.ts'
import { query } from './reading/query.ts'
import { keyedQuestion } from './reading/question.ts'
import { groupBy, readByKeys } from './reading/read-by-keys.ts'

const signaturesQuery = query({
  file: new URL('./signatures.sql', import.meta.url),
  table,
  budget: { rowsMax: 64_000, bytesMax: 16_000_000 },
})

/** Rows read of one selector, in all their versions: some of the shortest names have thousands. */
const perSelectorMax = 64
/** Signatures tried of one selector, the oldest first. */
const triedMax = 8

/** Signatures by selector, in the order in which they are tried. */
export async function signaturesOf(
  store: Store,
  selectors: readonly Hex[],
): Promise<Map<Hex, string[]>> {
  const parametersOf = (keys: readonly Hex[]) => ({
    selectors: keys.map(withoutPrefix),
    perSelectorMax,
  })
  const rows = await readByKeys(store, { query: signaturesQuery, table, parametersOf }, selectors)
  const groups = groupBy(rows, ({ selector }) => selector)
  return new Map([...groups].map(([selector, group]) => [selector, tried(group)]))
}

/** Well-known entries by selector, in the same order; those that cannot be parsed are left out. */
export const signatureEntries = keyedQuestion({
  table,
  subjects: (selectors: readonly Hex[]) => selectors,
  idOf: (selector: Hex) => selector,
  async read(store, selectors): Promise<ReadonlyMap<Hex, readonly AbiEntry[]>> {
    const texts = await signaturesOf(store, selectors)
    return new Map(
      [...texts].map(([selector, tried]) => [
        selector,
        tried.flatMap((text) => parseAbiEntry(text) ?? []),
      ]),
    )
  },
})

function tried(rows: readonly Row<typeof table>[]): string[] {
  const oldestFirst = rows.toSorted(
    (one, other) => one.since - other.since || ascending(one.form, other.form),
  )
  // What was published again has a row for each time.
  const byForm = new Map(oldestFirst.toReversed().map((row) => [row.form, row]))
  return oldestFirst
    .filter((row) => byForm.get(row.form) === row)
    .slice(0, triedMax)
    .map(({ signature }) => signature)
}
