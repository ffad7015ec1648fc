import { atOnce } from '../../chain/pauses.ts'
import type { Changes, EntityChange, Folding } from '../group.ts'

/** Without those that changed nothing. */
export const listed = (changes: Changes): EntityChange[] =>
  [...changes].filter((change) => change !== null)

/** Without an interruption: for messages whose changes fit into memory. */
export const foldedAtOnce = (folding: Folding): EntityChange[] => listed(atOnce(folding))
