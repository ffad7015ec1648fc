import type { Lag } from './lag.ts'

type LagStatus = 'ok' | 'behind' | 'stuck'

interface LagLimits {
  /** More messages than this behind the end of a topic is `behind`. */
  readonly messagesMax: number
  /** An older newest block is `behind`, too, of the log as of a group. */
  readonly ageSecondsMax: number
}

/** Exit codes of `foldscan lag`; 1 is for a command that failed. */
export const lagExitCodes: Readonly<Record<LagStatus, number>> = { ok: 0, behind: 2, stuck: 3 }

/** `stuck` where no group can go on before another message is published, else `behind`. */
export function lagStatus(lag: Lag, limits: LagLimits): LagStatus {
  if (lag.blocks.ignored.length > 0) return 'stuck'
  return reasonsBehind(lag, limits).length > 0 ? 'behind' : 'ok'
}

/** Why not all is up to date, one sentence each. */
export function reasonsBehind(
  { blocks, groups, dimensions }: Lag,
  { messagesMax, ageSecondsMax }: LagLimits,
): string[] {
  if (blocks.position === null) return ['Nothing is published: does an ingestor run?']
  const late = [...groups, { group: 'dimensions', messagesBehind: dimensions.messagesBehind }]
  const lags = late.flatMap(({ group, messagesBehind: count }) =>
    (count ?? 0) > messagesMax
      ? [`Group ${group} is ${count} messages behind, and ${messagesMax} are allowed.`]
      : [],
  )
  const heads = [
    { what: 'published block', ageSeconds: blocks.ageSeconds },
    ...groups.map(({ group, ageSeconds }) => ({ what: `block of group ${group}`, ageSeconds })),
  ]
  const ages = heads.flatMap(({ what, ageSeconds: age }) => {
    if (age === null) return [`There is no ${what} yet.`]
    if (age <= ageSecondsMax) return []
    return [`The newest ${what} is ${age} s old, and ${ageSecondsMax} s are allowed.`]
  })
  return [...lags, ...ages]
}
