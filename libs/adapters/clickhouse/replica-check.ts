/**
 * A condition on the replica that answers: its own `progress` has reached the wanted position. It
 * is evaluated before any row is read; `throwIf` ends the query with code 395.
 *
 * A group's row in `progress` is written after all rows up to its position. On a replica each table
 * has its own replication queue, so `progress` can be replicated while rows of another table are
 * still being fetched: the check detects a replica that is behind, not a single part that is.
 */
const isThere = `(
  SELECT throwIf(max(position) < {wantedPosition:UInt64})
  FROM progress
  WHERE group = {wantedGroup:String}
) = 0`

/** What `throwIf` reports. */
export const behindCode = '395'

/** A query that only a replica answers that has what is wanted. @throws where it has no WHERE */
export function withReplicaCheck(sql: string): string {
  const checked = sql.replace(/^WHERE /m, () => `WHERE ${isThere}\n  AND `)
  if (checked === sql) throw new Error('a query without a WHERE cannot check its replica')
  return checked
}

/** The parameters of the check. */
export const replicaCheckParameters = (group: string, position: number) => ({
  wantedGroup: group,
  wantedPosition: position,
})
