import type { Store } from '../ports/store.ts'
import { nullable, uint64 } from '../tables/declare/columns.ts'
import { type GroupName, groupIdOf, groupNames } from '../tables/declare/group-versions.ts'
import { readRows } from '../tables/declare/read-rows.ts'
import { progress } from '../tables/tables/progress.ts'

/** How far one version of a group has written its rows. */
export interface Standing {
  readonly group: GroupName
  readonly version: number
  /** In `blocks`; of dimensions, the sum of its offsets in the topics of facts. */
  readonly position: number
  /** Null where the group folds no blocks, or has none yet. */
  readonly block: number | null
}

const sql = `
SELECT group, max(position) AS newest, argMax(blockNumber, position)
FROM ${progress.stored}
WHERE match(group, {form:String})
GROUP BY group`

/** @param topics of facts */
const formOf = (topics: readonly string[]) =>
  `^(${groupNames.join('|')})(_[0-9]+)?([|](${topics.join('|')}))?$`

/**
 * Of all versions that have written any, newest first.
 * @param topics of facts, and the offset that a position in one of them stands for
 */
export async function standingsOf(
  store: Pick<Store, 'query'>,
  topics: { readonly names: readonly string[]; readonly offsetAfter: (version: number) => number },
): Promise<readonly Standing[]> {
  const parameters = { form: formOf(topics.names) }
  const rows = await readRows(store, { sql, parameters }, (source) => ({
    name: source.text(),
    position: source.uint64(),
    block: nullable(uint64).read(source),
  }))
  const ofTopics = (id: string) =>
    rows
      .filter(({ name }) => name.startsWith(`${id}|`))
      .reduce((sum, { position }) => sum + topics.offsetAfter(position), 0)
  const ofGroup = ({ name, position, block }: (typeof rows)[number]): Standing[] => {
    const group = groupNames.find((one) => name === one || name.startsWith(`${one}_`))
    if (group === undefined || name.includes('|')) return []
    const version = name === group ? 1 : Number(name.slice(group.length + 1))
    const reached = group === 'dimensions' ? ofTopics(groupIdOf(group, version)) : position
    return [{ group, version, position: reached, block }]
  }
  const order = ({ group, version }: Standing) => groupNames.indexOf(group) * 1e6 - version
  return rows.flatMap(ofGroup).toSorted((one, other) => order(one) - order(other))
}
