import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { InMemoryGroup } from '../../libs/projections/testing/law.ts'
import type { chainInLog } from './chain-in-log.ts'

type Message = Awaited<ReturnType<typeof chainInLog>>['accepted'][number]

/** Rows of the state group by table, folded from the chain that stands in the end. */
export function stateRowsOf(accepted: readonly Message[]) {
  const standing = accepted.filter((it, at) => !isOrphaned(accepted.slice(at + 1), it))
  const runner = new InMemoryGroup(stateGroup)
  runner.fold(standing)
  return (name: string) => runner.tables.rowsOf(name).map((row) => ({ ...row }))
}

/** Reverts and what they take back: the rest is the chain as it stands. */
function isOrphaned(later: readonly Message[], it: Message): boolean {
  if (it.kind === 'block.reverted') return true
  const hash = it.kind === 'block.applied' ? it.block.hash : it.kind === 'state.observed' && it.hash
  return later.some((each) => each.kind === 'block.reverted' && each.block.hash === hash)
}
