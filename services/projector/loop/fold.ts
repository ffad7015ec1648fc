import { type Pause, withPauses } from '../../../libs/chain/pauses.ts'
import type {
  BlocksGroup,
  Changes,
  EntityChange,
  Folding,
} from '../../../libs/projections/group.ts'
import type { TableRow } from '../../../libs/tables/declare/table.ts'
import { type AcceptanceResult, type Accepted, accept } from '../../../libs/topics/acceptance.ts'
import type { BlocksMessage } from '../../../libs/topics/blocks.ts'
import type { AssembledParts } from '../../../libs/topics/parts.ts'
import { prefixAfter } from '../log-identity/log-prefix.ts'
import type { ReadMessage, ReadPart } from '../reading/decoded-reader.ts'
import type { GroupState } from '../volume/group-state.ts'

/** Folding a message: it counts and gives rows, or it is skipped for a reason. */
export type Folded =
  | { readonly fate: 'accepted'; readonly rows: Iterable<readonly TableRow[]> }
  | Skipped

/** A message that counts, and what is accepted then. */
interface Accepting {
  readonly fate: 'accepted'
  readonly message: BlocksMessage
  readonly next: Accepted
}

type Skipped = Extract<AcceptanceResult, { fate: 'skipped' }>

/**
 * One message into the group's standing, which changes at once, after the last pause. Nothing is
 * durable yet.
 *
 * @throws ReorganisationTooDeep before anything is changed.
 */
export async function fold(
  group: BlocksGroup,
  at: GroupState,
  { read, pause }: { readonly read: ReadMessage; readonly pause: Pause },
): Promise<Folded> {
  const accepting = acceptanceOf(at, read)
  if (accepting.fate === 'skipped') {
    at.offset = read.offset + 1
    return accepting
  }
  const { message } = accepting
  const folded = at.undo === null ? [] : await withPauses(foldingOf(group, at, message), pause)
  const changes = await listed(folded, pause)
  const isSilent = message.sequence <= at.silentUntil
  const rows = isSilent ? [] : group.rows(message, changes, message.sequence)
  at.entities.apply(changes)
  if (at.undo !== null) at.undo.record(message, changes)
  advance(at, read, accepting)
  return { fate: 'accepted', rows }
}

/** All of them, in memory. */
async function listed(changes: Changes, pause: Pause): Promise<readonly EntityChange[]> {
  const list: EntityChange[] = []
  for (const change of changes) {
    if (change !== null) list.push(change)
    const paused = pause()
    if (paused !== undefined) await paused
  }
  return list
}

export function acceptanceOf(at: GroupState, { decoded }: ReadMessage): Accepting | Skipped {
  if ('invalid' in decoded) return { fate: 'skipped', reason: 'invalid', detail: decoded.invalid }
  const decision = accept(at.accepted, decoded.message)
  if (decision.fate === 'skipped') return decision
  const message = decision.isFolded ? decoded.message : silenced(decoded.message)
  return { fate: 'accepted', message, next: decision.next }
}

/** The message is the last one that was accepted. */
export function advance(at: GroupState, read: ReadMessage, { next }: Accepting): void {
  at.offset = read.offset + 1
  at.resumeOffset = at.offset
  at.resumeHash = read.whole?.hash ?? null
  at.parts.reset()
  at.accepted = next
  at.prefix = prefixAfter(at.prefix, read.hash)
}

/** The message that a part completes, yet to be read; or null if there is more to come. */
export function takePart(
  at: GroupState,
  { offset, part }: ReadPart,
): AssembledParts | Invalid | null {
  const taken = at.parts.add(offset, part)
  if ('kept' in taken) {
    at.offset = offset + 1
    return null
  }
  return 'whole' in taken ? taken.whole : taken
}

interface Invalid {
  readonly invalid: string
}

/** A value that cannot be verified must not override the log. */
const silenced = (message: BlocksMessage): BlocksMessage =>
  message.kind === 'state.observed'
    ? { ...message, balances: [], supplies: [], owners: [], tokens: [] }
    : message

/** @throws ReorganisationTooDeep as it begins. */
export function foldingOf(group: BlocksGroup, at: GroupState, message: BlocksMessage): Folding {
  if (message.kind !== 'block.reverted') return group.change(at.entities, message)
  if (at.undo === null) throw new Error('a group without state has nothing to restore')
  return at.undo.reverting(message.block.number, at.entities)
}
