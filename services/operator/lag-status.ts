import type { Lag } from './lag.ts'

export type LagStatus = 'ok' | 'behind' | 'stuck'

export interface LagLimits {
  /** More messages than this behind the end of a topic is `behind`. */
  readonly messagesMax: number
  /** An older newest block of a group is `behind`, too; null for any age. */
  readonly ageSecondsMax: number | null
}

/** Exit codes of `foldscan lag`; 1 is for a command that failed. */
export const lagExitCodes: Readonly<Record<LagStatus, number>> = { ok: 0, behind: 2, stuck: 3 }

/** `stuck` where no group can go on before another message is published, else `behind`. */
export function lagStatus({ blocks, groups, dimensions }: Lag, limits: LagLimits): LagStatus {
  if (blocks.ignored.length > 0) return 'stuck'
  const { messagesMax, ageSecondsMax } = limits
  const messages = [
    ...groups.map(({ messagesBehind }) => messagesBehind),
    dimensions.messagesBehind,
  ]
  const ages = groups.map(({ ageSeconds }) => ageSeconds)
  const isBehind = messages.some((count) => (count ?? 0) > messagesMax)
  const isOld = ages.some((age) => ageSecondsMax !== null && (age ?? 0) > ageSecondsMax)
  return isBehind || isOld ? 'behind' : 'ok'
}
