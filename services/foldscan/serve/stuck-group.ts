import type { Projector } from '../../projector/projector.ts'
import type { Check } from './health.ts'

/** Messages behind the log's end from which a group counts as catching up. */
const behindMax = 64

/** Whether a group does what it is there for. */
export const groupCheck =
  (projector: Pick<Projector, 'status'>): Check =>
  () => {
    const { group, stuck, behind, position } = projector.status()
    if (stuck !== null) {
      const sentence =
        `${group} waits for a valid message ${stuck.sequence}: the one at offset ` +
        `${stuck.offset} is ${stuck.reason} (${stuck.detail})`
      return { reason: 'stuck', sentence }
    }
    if (behind <= behindMax) return null
    return { reason: 'behind', sentence: `${group} is at ${position}, ${behind} messages behind` }
  }
