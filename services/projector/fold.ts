import { type BlocksGroup, type EntityChange, foldedAtOnce } from '../../libs/projections/group.ts'
import type { TableRow } from '../../libs/tables/table.ts'
import { type AcceptanceResult, accept } from '../../libs/topics/acceptance.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import type { AssembledParts } from '../../libs/topics/parts.ts'
import type { ReadMessage, ReadPart } from './decoded-reader.ts'
import type { GroupState } from './group-state.ts'
import { prefixAfter } from './log-prefix.ts'

/** Folding a message: it counts and gives rows, or it is skipped for a reason. */
export type Folded =
  | { readonly fate: 'accepted'; readonly rows: Iterable<readonly TableRow[]> }
  | Extract<AcceptanceResult, { fate: 'skipped' }>

/**
 * One message into the group's standing. Nothing is durable yet.
 *
 * @throws ReorganisationTooDeep before anything is changed.
 */
export function fold(group: BlocksGroup, at: GroupState, read: ReadMessage): Folded {
  const folded = foldDecoded(group, at, read)
  at.offset = read.offset + 1
  if (folded.fate === 'accepted') {
    at.resumeOffset = at.offset
    at.resumeHash = read.whole?.hash ?? null
    at.parts.reset()
  }
  return folded
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

function foldDecoded(group: BlocksGroup, at: GroupState, read: ReadMessage): Folded {
  if ('invalid' in read.decoded) {
    return { fate: 'skipped', reason: 'invalid', detail: read.decoded.invalid }
  }
  const decision = accept(at.accepted, read.decoded.message)
  if (decision.fate === 'skipped') return decision
  const message = decision.isFolded ? read.decoded.message : silenced(read.decoded.message)
  const changes = changesOf(group, at, message)
  const isSilent = message.sequence <= at.silentUntil
  const rows = isSilent ? [] : group.rows(message, changes, message.sequence)
  at.entities.apply(changes)
  if (at.undo !== null) at.undo.record(message, changes)
  at.accepted = decision.next
  at.prefix = prefixAfter(at.prefix, read.hash)
  return { fate: 'accepted', rows }
}

/** A value that cannot be verified must not override the log. */
const silenced = (message: BlocksMessage): BlocksMessage =>
  message.kind === 'state.observed'
    ? { ...message, balances: [], supplies: [], owners: [], tokens: [] }
    : message

function changesOf(group: BlocksGroup, at: GroupState, message: BlocksMessage): EntityChange[] {
  if (at.undo === null) return []
  if (message.kind !== 'block.reverted') return foldedAtOnce(group.change(at.entities, message))
  return at.undo.reverting(message.block.number, at.entities)
}
