import { type QueryParameters, replicaUptimeMin, type WholeReplicas } from '../../ports/store.ts'

/**
 * A condition on the server that answers: it and its tables are among those that are known to be
 * whole. A table that was dropped and made again has another UUID, so a replica that is filled
 * again between two polls is refused by the query itself. It is evaluated before any row is read,
 * also where there is none to read; `throwIf` ends the query with code 395.
 */
const isWhole = `(
  SELECT max(throwIf(
    NOT has({wholeReplicas:Array(String)}, concat(toString(serverUUID()), '/', toString(uuid))) OR
    uptime() < {uptimeMin:UInt32}
  ))
  FROM system.tables
  WHERE database = currentDatabase() AND name IN {checkedTables:Array(String)}
) = 0`

const tableForm = /\b(?:FROM|JOIN)\s+([a-z][a-z0-9_]*)\b(?!\s*[.(])/g

/** Names of the tables of the current database that a statement reads. */
export const tablesIn = (sql: string): readonly string[] => [
  ...new Set([...sql.matchAll(tableForm)].flatMap(([, name]) => name ?? [])),
]

/** @returns null if no replica is known to be whole for one of its tables */
export function checkedReplica(
  sql: string,
  parameters: QueryParameters,
  replicas: WholeReplicas,
): { readonly sql: string; readonly parameters: QueryParameters } | null {
  const checkedTables = tablesIn(sql)
  const wholeReplicas: string[] = []
  for (const table of checkedTables) {
    const ofTable = replicas.get(table) ?? []
    if (ofTable.length === 0) return null
    wholeReplicas.push(...ofTable)
  }
  const checks = { checkedTables, wholeReplicas, uptimeMin: replicaUptimeMin }
  return { sql: withCondition(sql, isWhole), parameters: { ...parameters, ...checks } }
}

/** A query that ends with an error unless the condition holds. @throws if it has no WHERE */
export function withCondition(sql: string, condition: string): string {
  const checked = sql.replace(
    /^((?:PRE)?WHERE) /m,
    (_, keyword: string) => `${keyword} ${condition}\n  AND `,
  )
  if (checked === sql) throw new Error('a query without a WHERE cannot check its replica')
  return checked
}
