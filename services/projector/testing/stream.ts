import fc from 'fast-check'
import type { Hash } from '../../../libs/chain/hex.ts'
import type { BlocksMessage } from '../../../libs/topics/blocks.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { splitMessage } from '../../../libs/topics/parts.ts'
import { applied, type BlockWords, gap, hashOf, observed, reverted } from './messages.ts'

/** A log as the world delivers it, and the messages of it that count. */
export interface Stream {
  readonly wire: readonly Uint8Array[]
  readonly canonical: readonly BlocksMessage[]
}

const people = fc.integer({ min: 1, max: 6 })
const count = fc.integer({ min: 1, max: 9 })

const event = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('apply' as const),
      senders: fc.array(people, { maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('revert' as const), depth: count }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('observe' as const),
      age: fc.nat(2),
      holders: fc.uniqueArray(people, { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('gap' as const), blocks: count }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('redeliver' as const), back: fc.nat(20) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('supersede' as const), back: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('spoil' as const), form: fc.nat(10) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('cut' as const),
      bytes: fc.constantFrom(null, 100, 1_000),
      begun: fc.nat(3),
    }),
  },
)
export type StreamEvent = typeof event extends fc.Arbitrary<infer E> ? E : never

export const streamEvents = (lengthMax: number): fc.Arbitrary<StreamEvent[]> =>
  fc.array(event, { minLength: 1, maxLength: lengthMax })

/** Plays events into a log: chain, forks, gaps, and the noise of a world with many publishers. */
export function streamOf(events: readonly StreamEvent[]): Stream {
  const player = new Player()
  for (const one of events) player.play(one)
  // The last word is a valid one, so that nobody ends stuck.
  player.play({ kind: 'apply', senders: [1] })
  return player
}

class Player implements Stream {
  readonly wire: Uint8Array[] = []
  readonly canonical: BlocksMessage[] = []
  /** Blocks that can be reverted, and the one before them. */
  private readonly chain: BlockWords[] = []
  private nextNumber = 5
  /** Of the content of a part; null where messages are said in one. */
  private partBytes: number | null = null
  private parent: Hash = hashOf('before the first')

  private get sequence(): number {
    return this.canonical.length + 1
  }

  play(one: StreamEvent): void {
    switch (one.kind) {
      case 'apply':
        this.apply(one.senders)
        break
      case 'revert':
        for (let left = one.depth; left > 0; left--) this.revert()
        break
      case 'observe':
        this.observe(one.age, one.holders)
        break
      case 'gap':
        this.declareGap(one.blocks)
        break
      case 'redeliver':
        this.wire.push(...this.canonical.slice(-1 - one.back).map(encodeMessage))
        break
      case 'supersede':
        this.supersede(one.back)
        break
      case 'spoil':
        this.wire.push(...spoiled(this.sequence, this.next([3]), this.headed(one.form)))
        break
      case 'cut':
        this.partBytes = one.bytes
        for (let at = 0; at < one.begun; at++) this.begin(at)
    }
  }

  /** Without a head to follow, some forms would not be wrong. */
  private headed(form: number): number {
    return this.chain.length === 0 ? 0 : form
  }

  private say(message: BlocksMessage): void {
    this.canonical.push(message)
    const bytes = encodeMessage(message)
    this.wire.push(
      ...(this.partBytes === null ? [bytes] : splitMessage(bytes, 256 + this.partBytes)),
    )
  }

  /** Another publisher says the first part of what is next in his words, and dies. */
  private begin(words: number): void {
    const bytes = encodeMessage(applied(this.sequence, this.next([words])))
    const [first] = splitMessage(bytes, 256 + 200)
    if (first !== undefined) this.wire.push(first)
  }

  private next(senders: readonly number[]): BlockWords {
    const own = hashOf(`block ${this.nextNumber} said at ${this.sequence} by ${senders}`)
    return { number: this.nextNumber, hash: own, parentHash: this.parent, senders }
  }

  private apply(senders: readonly number[]): void {
    const block = this.next(senders)
    this.say(applied(this.sequence, block))
    this.chain.push(block)
    this.nextNumber += 1
    this.parent = block.hash
  }

  private revert(): void {
    const block = this.chain.pop()
    if (block === undefined) return
    this.say(reverted(this.sequence, block))
    this.nextNumber = block.number
    this.parent = block.parentHash
  }

  private observe(age: number, holders: readonly number[]): void {
    const block = this.chain.at(-1 - age) ?? this.chain.at(-1)
    if (block === undefined) return
    const seen = { block: block.number, hash: block.hash, holders }
    this.say(observed(this.sequence, seen))
  }

  private declareGap(blocks: number): void {
    if (this.canonical.length === 0) return
    this.say(gap(this.sequence, this.nextNumber, this.nextNumber + blocks - 1))
    this.nextNumber += blocks
    this.chain.length = 0
    this.parent = hashOf(`beyond the gap ${this.sequence}`)
  }

  /** Another publisher, who lost the race for a sequence, was heard after all. */
  private supersede(back: number): void {
    const won = this.canonical.at(-1 - back)
    if (won?.kind !== 'block.applied') return
    const { number, parentHash } = won.block
    const block = { number, parentHash, hash: hashOf(`lost ${won.sequence}`), senders: [2, 2] }
    this.wire.push(encodeMessage(applied(won.sequence, block)))
  }
}

/** What must never count, though it comes in time: each form is one way to be wrong. */
function spoiled(sequence: number, next: BlockWords, form: number): Uint8Array[] {
  const good = applied(sequence, next)
  const wrong: unknown[] = [
    'no message',
    { ...good, chainId: 99 },
    { ...good, block: { ...good.block, gasUsed: '-1' } },
    applied(sequence, { ...next, number: next.number + 1 }),
    applied(sequence + 1 + form, next),
    applied(sequence, { ...next, parentHash: hashOf('nowhere') }),
    reverted(sequence, next),
    gap(sequence, next.number + 1, next.number + 3),
    observed(sequence, { block: next.number + 9, hash: next.hash, holders: [1] }),
    observed(sequence, { block: next.number - 1, hash: hashOf('orphaned'), holders: [1] }),
    observed(sequence, { block: next.number - 2, hash: hashOf('orphaned'), holders: [1] }),
  ]
  const bytes = encodeMessage(wrong[form])
  return form === 0 ? [bytes.subarray(1), encodeMessage({ ...good, kind: 'odd' })] : [bytes]
}
