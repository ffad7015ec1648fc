import { z } from 'zod'
import type { Block } from '../chain/block.ts'
import type { Hash } from '../chain/hex.ts'
import type { BlockApplied, BlockReverted, BlocksMessage, StateObserved } from './blocks.ts'
import { hashText, integerNumber } from './quantities.ts'

/** Blocks that can be reverted, at most: deeper forks stop every group at the same message. */
export const undoBlocksMax = 256

/**
 * The newest canonical blocks, ascending without gaps, the last one is the head. The first is the
 * parent of the lowest that can be reverted; its time (seconds) may be unknown. Empty if the parent
 * of the next block is unknown. Numbers follow from the index, because it is stored often.
 */
const branch = z
  .array(z.object({ hash: hashText, timestamp: integerNumber.nullable() }))
  .max(undoBlocksMax + 1)
  .readonly()
type Branch = z.output<typeof branch>

type Grown = Pick<Block, 'hash' | 'parentHash' | 'timestamp' | 'parentTimestamp'>

/** The branch with one block more. */
function appendBlock(standing: Branch, block: Grown): Branch {
  const { hash, timestamp, parentHash, parentTimestamp } = block
  if (standing.length === 0) {
    return [
      { hash: parentHash, timestamp: parentTimestamp },
      { hash, timestamp },
    ]
  }
  return [...standing.slice(-undoBlocksMax), { hash, timestamp }]
}

/** The hash of a canonical block; undefined if it is too deep. `next` follows the branch. */
const hashAt = (standing: Branch, number: number, next: number): Hash | undefined =>
  number < next ? standing.at(number - next)?.hash : undefined

/** Sequences whose identity is kept, to distinguish a redelivery from a lost race. */
export const identitiesMax = 256

/** `timestamp` (seconds) is null after a revert to a parent whose timestamp is unknown. */
const head = z.object({
  number: integerNumber,
  hash: hashText,
  timestamp: integerNumber.nullable(),
})
export type ChainHead = z.output<typeof head>

/**
 * State of acceptance after a prefix of the log; equal for all readers of one log. A plain value:
 * stored with a group's state and validated by this schema when it is read back.
 */
export const accepted = z.object({
  /** Of the last accepted message; 0 before the first. */
  sequence: integerNumber,
  /** Of the first message; null before it. */
  chainId: integerNumber.nullable(),
  /** The newest real block; null before the first. */
  head: head.nullable(),
  /** What the next block must be: null before the first; a null parent cannot be checked. */
  next: z.object({ number: integerNumber, parentHash: hashText.nullable() }).nullable(),
  /** The lowest block that can be reverted: the first, or the first after the last gap. */
  floor: integerNumber.nullable(),
  /** The head before the floor: where a revert of the floor leads back to. */
  beforeFloor: head.nullable(),
  /** Canonical blocks, which observations and reverts are checked against. */
  branch,
  /** Identities of the last sequences, ascending, the last one that of `sequence`. */
  remembered: z.array(z.string()).max(identitiesMax),
})
export type Accepted = Readonly<z.output<typeof accepted>>

export const nothingAccepted: Accepted = {
  sequence: 0,
  chainId: null,
  head: null,
  next: null,
  floor: null,
  beforeFloor: null,
  branch: [],
  remembered: [],
}

/** Stable words: metric labels and log fields. */
export const skipReasons = ['duplicate', 'superseded', 'invalid', 'ahead', 'too-deep'] as const
export type SkipReason = (typeof skipReasons)[number]

/**
 * `isFolded` is false for an observation of a block so deep that its hash can no longer be checked:
 * the message is accepted, but its content is ignored.
 */
export type AcceptanceResult =
  | { readonly fate: 'accepted'; readonly next: Accepted; readonly isFolded: boolean }
  | { readonly fate: 'skipped'; readonly reason: SkipReason; readonly detail: string }

/**
 * Accepts a message if and only if its sequence is the last accepted one plus one and it follows
 * the head. Pure, so that every reader of a log makes the same decisions, also in a replay.
 */
export function accept(state: Accepted, message: BlocksMessage): AcceptanceResult {
  const expected = state.sequence + 1
  if (message.sequence < expected) return oldFate(state, message)
  if (message.sequence > expected) {
    return skipped('ahead', `sequence ${message.sequence} where ${expected} is next`)
  }
  if (state.chainId !== null && message.chainId !== state.chainId) {
    return skipped('invalid', `chain ${message.chainId} in a log of chain ${state.chainId}`)
  }
  const step = follow(state, message)
  if (typeof step === 'string') return skipped('invalid', step)
  if ('fate' in step) return step
  const remembered = [...state.remembered.slice(1 - identitiesMax), messageIdentity(message)]
  const { sequence, chainId } = message
  const isFolded = message.kind !== 'state.observed' || isChecked(state, message)
  return { fate: 'accepted', isFolded, next: { ...state, ...step, sequence, chainId, remembered } }
}

/** Same sequence and same identity: the same message, published by any ingestor. */
export function messageIdentity(message: BlocksMessage): string {
  switch (message.kind) {
    case 'block.applied':
    case 'block.reverted':
      return `${message.kind} ${message.block.hash}`
    case 'state.observed':
      return `${message.kind} ${message.block} ${message.hash}`
    case 'gap.declared':
      return `${message.kind} ${message.from} ${message.to}`
  }
}

const skipped = (reason: SkipReason, detail: string): AcceptanceResult => ({
  fate: 'skipped',
  reason,
  detail,
})

/** Older than the kept identities: assumed to be a redelivery. */
function oldFate(state: Accepted, message: BlocksMessage): AcceptanceResult {
  const known = state.remembered.at(message.sequence - state.sequence - 1)
  const identity = messageIdentity(message)
  if (state.sequence - message.sequence >= state.remembered.length || known === identity) {
    return skipped('duplicate', `sequence ${message.sequence} again`)
  }
  return skipped('superseded', `sequence ${message.sequence} is ${known}, not ${identity}`)
}

type Step = Partial<Pick<Accepted, 'head' | 'next' | 'floor' | 'beforeFloor' | 'branch'>>

/** The state after the message, or the reason why it does not follow. */
function follow(state: Accepted, message: BlocksMessage): Step | AcceptanceResult | string {
  switch (message.kind) {
    case 'block.applied':
      return followApplied(state, message)
    case 'block.reverted':
      return followReverted(state, message)
    case 'state.observed':
      return followObserved(state, message)
    case 'gap.declared': {
      const { from, to } = message
      if (state.next === null) return 'a gap before the first block'
      if (from !== state.next.number) {
        return `a gap from ${from} where block ${state.next.number} is next`
      }
      if (to < from) return `a gap from ${from} to ${to}`
      const next = { number: to + 1, parentHash: null }
      return { next, floor: to + 1, beforeFloor: state.head, branch: [] }
    }
  }
}

/** The canonical hash at an observation's block; undefined if unknown. */
function canonicalHash({ head, next, branch }: Accepted, number: number): Hash | undefined {
  if (number === head?.number) return head.hash
  return next === null ? undefined : hashAt(branch, number, next.number)
}

/** Before the first block there is nothing to check against. */
const isChecked = (state: Accepted, { block }: StateObserved): boolean =>
  state.head === null || canonicalHash(state, block) !== undefined

/** The observer queries by hash; the block may be orphaned by the time the message is published. */
function followObserved(state: Accepted, { block, hash }: StateObserved): Step | string {
  const { head, next } = state
  const newest = head?.number ?? (next === null ? Number.POSITIVE_INFINITY : next.number - 1)
  if (block > newest) return `an observation of block ${block} while the head is ${newest}`
  const standing = canonicalHash(state, block)
  if (standing === undefined || standing === hash) return {}
  return `an observation of ${hash}, but block ${block} is ${standing}`
}

function followApplied({ next, floor, branch }: Accepted, { block }: BlockApplied): Step | string {
  if (next !== null && block.number !== next.number) {
    return `block ${block.number} where block ${next.number} is next`
  }
  if (next !== null && next.parentHash !== null && block.parentHash !== next.parentHash) {
    return `block ${block.number} has parent ${block.parentHash}, the head is ${next.parentHash}`
  }
  return {
    head: { number: block.number, hash: block.hash, timestamp: block.timestamp },
    next: { number: block.number + 1, parentHash: block.hash },
    floor: floor ?? block.number,
    branch: appendBlock(branch, block),
  }
}

function followReverted(
  state: Accepted,
  { block }: BlockReverted,
): Step | AcceptanceResult | string {
  const { head, floor, beforeFloor, branch } = state
  if (head === null || floor === null) return 'a revert before the first block'
  if (block.hash !== head.hash || block.number !== head.number) {
    return `a revert of ${block.number} ${block.hash}, the head is ${head.number} ${head.hash}`
  }
  if (block.number < floor) return `a revert of block ${block.number}, below the gap`
  const parent = branch.at(-2)
  if (parent === undefined) {
    const sentence = `a revert of block ${block.number}, more than ${undoBlocksMax} blocks deep`
    return skipped('too-deep', sentence)
  }
  if (block.parentHash !== parent.hash) {
    return `a revert of block ${block.number} onto ${block.parentHash}, it stands on ${parent.hash}`
  }
  // Below the floor no block was applied, so the parent of the next block cannot be checked.
  if (block.number === floor) {
    return { head: beforeFloor, next: { number: floor, parentHash: null }, branch: [] }
  }
  const { number, parentHash } = block
  return {
    head: { number: number - 1, hash: parentHash, timestamp: parent.timestamp },
    next: { number, parentHash },
    branch: branch.slice(0, -1),
  }
}
