import { atOnce } from '../../chain/pauses.ts'
import type { EntityChange, Folding } from '../group.ts'

/** Without an interruption: for messages whose changes fit into memory. */
export const foldedAtOnce = (folding: Folding): EntityChange[] => [...atOnce(folding)]
