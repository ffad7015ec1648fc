import { describe, expect, test } from 'vitest'
import { address, type Hash, hash } from '../chain/hex.ts'
import { unknownHeader } from '../chain/node-fields.ts'
import { position } from '../chain/position.ts'
import {
  type Accepted,
  accept,
  accepted,
  identitiesMax,
  nothingAccepted,
  undoBlocksMax,
} from './acceptance.ts'
import {
  type BlockApplied,
  type BlockReverted,
  type BlocksMessage,
  blocksVersion,
} from './blocks.ts'

const named = (name: string): Hash =>
  hash(`0x${Buffer.from(name).toString('hex').padStart(64, '0')}`)

const applied = (sequence: number, number: number, names: [own: string, parent: string]) =>
  ({
    kind: 'block.applied',
    version: blocksVersion,
    sequence: position(sequence),
    chainId: 1,
    tokens: [],
    contracts: [],
    block: {
      number,
      hash: named(names[0]),
      parentHash: named(names[1]),
      timestamp: 100 + number,
      parentTimestamp: 99 + number,
      miner: address(`0x${'0'.repeat(40)}`),
      gasLimit: 0n,
      gasUsed: 0n,
      baseFeePerGas: null,
      ...unknownHeader,
      transactions: [],
    },
  }) satisfies BlockApplied
const reverted = (...words: Parameters<typeof applied>): BlockReverted => ({
  ...applied(...words),
  kind: 'block.reverted',
})
const gap = (sequence: number, from: number, to: number): BlocksMessage => ({
  kind: 'gap.declared',
  version: blocksVersion,
  sequence: position(sequence),
  chainId: 1,
  from,
  to,
})
const observed = (sequence: number, block: number, name: string): BlocksMessage => ({
  kind: 'state.observed',
  version: blocksVersion,
  sequence: position(sequence),
  chainId: 1,
  block,
  hash: named(name),
  balances: [],
  supplies: [],
  owners: [],
  tokens: [],
})

/** The state after all of them; each must count. */
function having(...messages: BlocksMessage[]): Accepted {
  let state = nothingAccepted
  for (const message of messages) {
    const decision = accept(state, message)
    if (decision.fate === 'skipped') throw new Error(decision.detail)
    state = decision.next
  }
  return state
}

const fateOf = (state: Accepted, message: BlocksMessage): string => {
  const decision = accept(state, message)
  return decision.fate === 'accepted' ? 'accepted' : decision.reason
}

/** Whether it counts and may tell something. */
function foldedOf(state: Accepted, message: BlocksMessage): boolean {
  const decision = accept(state, message)
  if (decision.fate === 'skipped') throw new Error(decision.detail)
  return decision.isFolded
}

const two = () => having(applied(1, 7, ['a', 'x']), applied(2, 8, ['b', 'a']))

describe('acceptance', () => {
  test('begins with any block, but with sequence 1', () => {
    expect(fateOf(nothingAccepted, applied(1, 7, ['a', 'x']))).toBe('accepted')
    expect(fateOf(nothingAccepted, applied(2, 7, ['a', 'x']))).toBe('ahead')
  })

  test('takes the block that follows, by number and parent', () => {
    expect(fateOf(two(), applied(3, 9, ['c', 'b']))).toBe('accepted')
    expect(fateOf(two(), applied(3, 9, ['c', 'a']))).toBe('invalid')
    expect(fateOf(two(), applied(3, 10, ['c', 'b']))).toBe('invalid')
    expect(fateOf(two(), applied(4, 9, ['c', 'b']))).toBe('ahead')
  })

  test('distinguishes a redelivery from a lost race', () => {
    expect(fateOf(two(), applied(1, 7, ['a', 'x']))).toBe('duplicate')
    expect(fateOf(two(), applied(2, 8, ['other', 'a']))).toBe('superseded')
    expect(fateOf(two(), reverted(2, 8, ['b', 'a']))).toBe('superseded')
  })

  test('takes a sequence older than its memory for a redelivery', () => {
    const messages = [applied(1, 1, ['1', '0'])]
    for (let n = 2; n <= identitiesMax + 2; n++) messages.push(applied(n, n, [`${n}`, `${n - 1}`]))
    const state = having(...messages)
    expect(state.remembered).toHaveLength(identitiesMax)
    expect(fateOf(state, applied(3, 3, ['other', '2']))).toBe('superseded')
    expect(fateOf(state, applied(2, 2, ['other', '1']))).toBe('duplicate')
  })

  test('reverts exactly the head, and goes on from its parent', () => {
    expect(fateOf(two(), reverted(3, 7, ['a', 'x']))).toBe('invalid')
    const back = having(
      applied(1, 7, ['a', 'x']),
      applied(2, 8, ['b', 'a']),
      reverted(3, 8, ['b', 'a']),
    )
    expect(back.head).toEqual({ number: 7, hash: named('a'), timestamp: 107 })
    expect(fateOf(back, applied(4, 8, ['b2', 'a']))).toBe('accepted')
    expect(fateOf(back, applied(4, 8, ['b2', 'b']))).toBe('invalid')
  })

  test('reverts no block if the message names another parent', () => {
    expect(fateOf(two(), reverted(3, 8, ['b', 'other']))).toBe('invalid')
    const one = having(applied(1, 7, ['a', 'x']))
    expect(fateOf(one, reverted(2, 7, ['a', 'other']))).toBe('invalid')
    expect(fateOf(one, reverted(2, 7, ['a', 'x']))).toBe('accepted')
  })

  test('reverts the first block, whose successor may have another parent, and nothing below', () => {
    const back = having(applied(1, 7, ['a', 'x']), reverted(2, 7, ['a', 'x']))
    expect(back.head).toBeNull()
    expect(fateOf(back, applied(3, 7, ['a2', 'y']))).toBe('accepted')
    expect(fateOf(back, applied(3, 8, ['a2', 'y']))).toBe('invalid')
    expect(fateOf(back, reverted(3, 6, ['x', 'w']))).toBe('invalid')
  })

  test('takes a gap that begins at the next block, and the block that comes after it', () => {
    expect(fateOf(two(), gap(3, 10, 12))).toBe('invalid')
    expect(fateOf(two(), gap(3, 9, 8))).toBe('invalid')
    expect(fateOf(nothingAccepted, gap(1, 1, 2))).toBe('invalid')
    const over = having(applied(1, 7, ['a', 'x']), gap(2, 8, 10))
    expect(over.head?.number).toBe(7)
    expect(fateOf(over, applied(3, 11, ['c', 'anything']))).toBe('accepted')
    expect(fateOf(over, applied(3, 8, ['b', 'a']))).toBe('invalid')
  })

  test('never reverts over a gap', () => {
    const over = having(applied(1, 7, ['a', 'x']), gap(2, 8, 10), applied(3, 11, ['c', 'b']))
    expect(fateOf(over, reverted(4, 11, ['c', 'b']))).toBe('accepted')
    const before = having(applied(1, 7, ['a', 'x']), gap(2, 8, 10))
    expect(fateOf(before, reverted(3, 7, ['a', 'x']))).toBe('invalid')
  })

  test('takes observations up to the head, by the hash of their block', () => {
    expect(fateOf(nothingAccepted, observed(1, 900, 'z'))).toBe('accepted')
    expect(fateOf(two(), observed(3, 7, 'a'))).toBe('accepted')
    expect(fateOf(two(), observed(3, 8, 'b'))).toBe('accepted')
    expect(fateOf(two(), observed(3, 6, 'x'))).toBe('accepted')
    expect(fateOf(two(), observed(3, 8, 'orphan'))).toBe('invalid')
    expect(fateOf(two(), observed(3, 7, 'orphan'))).toBe('invalid')
    expect(fateOf(two(), observed(3, 6, 'orphan'))).toBe('invalid')
    expect(fateOf(two(), observed(3, 9, 'b'))).toBe('invalid')
  })

  test('refuses what was observed of a block that is orphaned since', () => {
    const forked = having(
      ...[applied(1, 7, ['a', 'x']), applied(2, 8, ['b', 'a']), applied(3, 9, ['c', 'b'])],
      ...[reverted(4, 9, ['c', 'b']), reverted(5, 8, ['b', 'a'])],
      ...[applied(6, 8, ['b2', 'a']), applied(7, 9, ['c2', 'b2'])],
    )
    expect(fateOf(forked, observed(8, 8, 'b'))).toBe('invalid')
    expect(fateOf(forked, observed(8, 8, 'b2'))).toBe('accepted')
    const back = having(applied(1, 7, ['a', 'x']), reverted(2, 7, ['a', 'x']))
    expect(fateOf(back, observed(3, 7, 'a'))).toBe('invalid')
    expect(foldedOf(back, observed(3, 6, 'x'))).toBe(true)
  })

  test('accepts an observation that is too deep to be checked, but ignores its content', () => {
    const messages = [applied(1, 1, ['1', '0'])]
    for (let n = 2; n <= undoBlocksMax + 2; n++) messages.push(applied(n, n, [`${n}`, `${n - 1}`]))
    const state = having(...messages)
    const next = state.sequence + 1
    expect(foldedOf(state, observed(next, 1, 'orphan'))).toBe(false)
    expect(foldedOf(state, observed(next, 2, '2'))).toBe(true)
    expect(fateOf(state, observed(next, 2, 'orphan'))).toBe('invalid')
    expect(foldedOf(nothingAccepted, observed(1, 900, 'z'))).toBe(true)
  })

  test('goes back over as many blocks as every group has undo records for, and no further', () => {
    const messages: BlocksMessage[] = [applied(1, 1, ['1', '0'])]
    const deep = undoBlocksMax + 5
    for (let n = 2; n <= deep; n++) messages.push(applied(n, n, [`${n}`, `${n - 1}`]))
    for (let n = deep; n > deep - undoBlocksMax; n--) {
      messages.push(reverted(messages.length + 1, n, [`${n}`, `${n - 1}`]))
    }
    const back = having(...messages)
    expect(back.head?.number).toBe(5)
    expect(fateOf(back, reverted(back.sequence + 1, 5, ['5', '4']))).toBe('too-deep')
    expect(fateOf(back, applied(back.sequence + 1, 6, ['6b', '5']))).toBe('accepted')
  })

  test('knows nothing of blocks before a gap but the last of them', () => {
    const over = having(...[applied(1, 7, ['a', 'x']), applied(2, 8, ['b', 'a']), gap(3, 9, 9)])
    expect(foldedOf(over, observed(4, 8, 'b'))).toBe(true)
    expect(fateOf(over, observed(4, 8, 'orphan'))).toBe('invalid')
    expect(foldedOf(over, observed(4, 7, 'orphan'))).toBe(false)
  })

  test('keeps little: one hash and one time a block', () => {
    const messages = [applied(1, 1, ['1', '0'])]
    for (let n = 2; n <= 600; n++) messages.push(applied(n, n, [`${n}`, `${n - 1}`]))
    const state = having(...messages)
    expect(state.branch).toHaveLength(undoBlocksMax + 1)
    expect(JSON.stringify(state.branch).length).toBeLessThan(32 * 1024)
  })

  test('refuses another chain', () => {
    expect(fateOf(two(), { ...applied(3, 9, ['c', 'b']), chainId: 2 })).toBe('invalid')
  })

  test('leaves what was accepted as it was, and can be stored', () => {
    const state = two()
    const text = JSON.stringify(state)
    accept(state, applied(3, 9, ['c', 'b']))
    expect(JSON.stringify(state)).toBe(text)
    expect(accepted.parse(JSON.parse(text))).toEqual(state)
  })
})
