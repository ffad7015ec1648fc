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
  /** Of dimensions, by topic: the version of the last fact with its rows (`fact-version.ts`). */
  readonly topics: Readonly<Record<string, number>>
}

const sql = `
SELECT group, max(position) AS newest, argMax(blockNumber, position)
FROM ${progress.stored}
WHERE match(group, {form:String})
GROUP BY group`

const formOf = (topics: readonly string[]) =>
  `^(${groupNames.join('|')})(_[0-9]+)?([|](${topics.join('|')}))?$`

/** Concurrent queries to reach several replicas, as one of them may be late. */
const replicaAttempts = 3

interface Found {
  readonly name: string
  readonly position: number
  readonly block: number | null
}

/**
 * Of all versions that have written any, newest first, as the most advanced replica has them that
 * answered.
 * @param topics of facts, and the offset that a version in one of them stands for
 */
export async function standingsOf(
  store: Pick<Store, 'query'>,
  topics: { readonly names: readonly string[]; readonly offsetAfter: (version: number) => number },
): Promise<readonly Standing[]> {
  const attempts = Array.from({ length: replicaAttempts }, () => foundIn(store, topics.names))
  const newest = new Map<string, Found>()
  for (const one of (await Promise.all(attempts)).flat()) {
    if (one.position > (newest.get(one.name)?.position ?? -1)) newest.set(one.name, one)
  }
  const topicsOf = (id: string) =>
    [...newest.values()].flatMap(({ name, position }): [string, number][] =>
      name.startsWith(`${id}|`) ? [[name.slice(id.length + 1), position]] : [],
    )
  const ofGroup = ({ name, position, block }: Found): Standing[] => {
    const group = groupNames.find((one) => name === one || name.startsWith(`${one}_`))
    if (group === undefined || name.includes('|')) return []
    const version = name === group ? 1 : Number(name.slice(group.length + 1))
    const reached = topicsOf(groupIdOf(group, version))
    const offsets = reached.reduce((sum, [, at]) => sum + topics.offsetAfter(at), 0)
    const own = group === 'dimensions' ? offsets : position
    return [{ group, version, position: own, block, topics: Object.fromEntries(reached) }]
  }
  const order = ({ group, version }: Standing) => groupNames.indexOf(group) * 1e6 - version
  return [...newest.values()].flatMap(ofGroup).toSorted((one, other) => order(one) - order(other))
}

const foundIn = (
  store: Pick<Store, 'query'>,
  topics: readonly string[],
): Promise<readonly Found[]> =>
  readRows(store, { sql, parameters: { form: formOf(topics) } }, (source) => ({
    name: source.text(),
    position: source.uint64(),
    block: nullable(uint64).read(source),
  }))
