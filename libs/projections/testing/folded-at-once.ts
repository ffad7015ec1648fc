import type { EntityChange, Folding } from '../group.ts'

/** Without an interruption: for messages whose changes fit into memory. */
export function foldedAtOnce(folding: Folding): EntityChange[] {
  for (;;) {
    const step = folding.next()
    if (step.done === true) return [...step.value]
  }
}
