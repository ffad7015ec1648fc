import { z } from 'zod'
import type { BlockApplied, BlockReverted, BlocksMessage } from './blocks.ts'
import { hashText, integer } from './quantities.ts'

/** Sequences whose identity is remembered, to tell a redelivery from a lost race. */
export const rememberedMax = 256

/** `timestamp` (seconds) is null where a revert led to a parent whose time nobody told. */
const head = z.object({ number: integer, hash: hashText, timestamp: integer.nullable() })
export type Head = z.output<typeof head>

/**
 * All that acceptance remembers of a log's prefix. Two readers of one log hold the same.
 * A plain value: it is stored with a group's state and read back through this schema.
 */
export const accepted = z.object({
  /** Of the last accepted message; 0 before the first. */
  sequence: integer,
  /** Of the first message; null before it. */
  chainId: integer.nullable(),
  /** The newest real block; null before the first. */
  head: head.nullable(),
  /** What the next block must be: null before the first; a null parent cannot be checked. */
  next: z.object({ number: integer, parentHash: hashText.nullable() }).nullable(),
  /** The lowest block that can be reverted: the first, or the first after the last gap. */
  floor: integer.nullable(),
  /** The head before the floor: where a revert of the floor leads back to. */
  beforeFloor: head.nullable(),
  /** Identities of the last sequences, ascending, the last one that of `sequence`. */
  remembered: z.array(z.string()).max(rememberedMax),
})
export type Accepted = Readonly<z.output<typeof accepted>>

export const nothingAccepted: Accepted = {
  sequence: 0,
  chainId: null,
  head: null,
  next: null,
  floor: null,
  beforeFloor: null,
  remembered: [],
}

export type SkipReason = 'duplicate' | 'superseded' | 'invalid' | 'ahead'

export type Fate =
  | { readonly fate: 'accepted'; readonly next: Accepted }
  | { readonly fate: 'skipped'; readonly reason: SkipReason; readonly detail: string }

/**
 * The law of acceptance: a message counts if and only if its sequence is the last accepted plus
 * one and it follows. Pure, so every reader of one log decides the same, today and in a replay.
 */
export function accept(state: Accepted, message: BlocksMessage): Fate {
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
  const remembered = [...state.remembered.slice(1 - rememberedMax), identityOf(message)]
  const { sequence, chainId } = message
  return { fate: 'accepted', next: { ...state, ...step, sequence, chainId, remembered } }
}

/** Same sequence and same identity: the same message, whoever published it. */
export function identityOf(message: BlocksMessage): string {
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

const skipped = (reason: SkipReason, detail: string): Fate => ({ fate: 'skipped', reason, detail })

/** Beyond the remembered sequences nobody can tell any more; a redelivery is the likely case. */
function oldFate(state: Accepted, message: BlocksMessage): Fate {
  const known = state.remembered.at(message.sequence - state.sequence - 1)
  const said = identityOf(message)
  if (state.sequence - message.sequence >= state.remembered.length || known === said) {
    return skipped('duplicate', `sequence ${message.sequence} again`)
  }
  return skipped('superseded', `sequence ${message.sequence} is ${known}, not ${said}`)
}

type Step = Partial<Pick<Accepted, 'head' | 'next' | 'floor' | 'beforeFloor'>>

/** What the message makes of the chain, or why it does not follow. */
function follow(state: Accepted, message: BlocksMessage): Step | string {
  switch (message.kind) {
    case 'block.applied':
      return followApplied(state, message)
    case 'block.reverted':
      return followReverted(state, message)
    case 'state.observed': {
      if (state.head === null || message.block < state.head.number) return {}
      if (message.block > state.head.number) {
        return `an observation of block ${message.block} while the head is ${state.head.number}`
      }
      if (message.hash === state.head.hash) return {}
      return `an observation of ${message.hash} while the head is ${state.head.hash}`
    }
    case 'gap.declared': {
      const { from, to } = message
      if (state.next === null) return 'a gap before the first block'
      if (from !== state.next.number) {
        return `a gap from ${from} where block ${state.next.number} is next`
      }
      if (to < from) return `a gap from ${from} to ${to}`
      const next = { number: to + 1, parentHash: null }
      return { next, floor: to + 1, beforeFloor: state.head }
    }
  }
}

function followApplied({ next, floor }: Accepted, { block }: BlockApplied): Step | string {
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
  }
}

function followReverted(state: Accepted, { block }: BlockReverted): Step | string {
  const { head, floor, beforeFloor } = state
  if (head === null || floor === null) return 'a revert before the first block'
  if (block.hash !== head.hash || block.number !== head.number) {
    return `a revert of ${block.number} ${block.hash}, the head is ${head.number} ${head.hash}`
  }
  if (block.number < floor) return `a revert of block ${block.number}, below the gap`
  // Below the floor nothing was applied, so what the next block stands on cannot be checked.
  if (block.number === floor) {
    return { head: beforeFloor, next: { number: floor, parentHash: null } }
  }
  const { number, parentHash, parentTimestamp } = block
  return {
    head: { number: number - 1, hash: parentHash, timestamp: parentTimestamp },
    next: { number, parentHash },
  }
}
