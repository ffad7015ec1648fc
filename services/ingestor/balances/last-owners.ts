import { withoutPrefix } from '../../../libs/chain/hex.ts'
import type { Transfer } from '../../../libs/chain/token.ts'
import { removeAll, type StateStore } from '../../../libs/ports/state-store.ts'
import { sequenceBytes, sequenceIn, sequenceValue } from './sequence-value.ts'

const tag = Buffer.from('l')
const savedKey = Buffer.from('last-owners')
const idDigits = 64

/** An id of an ERC-721, moved by a log. */
export type OwnerMove = Pick<Transfer, 'token' | 'from' | 'to'> & { readonly tokenId: bigint }

interface LastOwner {
  /** Digits of the address. */
  readonly owner: string
  /** Of the message that says so. */
  readonly sequence: number
}

const nameOf = ({ token, tokenId }: OwnerMove): string =>
  withoutPrefix(token) + tokenId.toString(16).padStart(idDigits, '0')
const keyOf = (name: string): Buffer => Buffer.concat([tag, Buffer.from(name, 'hex')])

const bytesOf = ({ owner, sequence }: LastOwner): Buffer =>
  Buffer.concat([sequenceValue(sequence), Buffer.from(owner, 'hex')])
const lastOwnerIn = (value: Buffer): LastOwner => ({
  sequence: sequenceIn(value),
  owner: value.toString('hex', sequenceBytes),
})

/**
 * Who got an id of an ERC-721 last, as logs say. Where somebody else sends it, it has changed hands
 * without a log, or an earlier log lied (decision 64). Derived from the log; ranges of ids are not
 * noted, so an id that one has moved since can look contradicted.
 */
export class LastOwners {
  readonly #state: StateStore
  /** By name. */
  readonly #unsaved = new Map<string, LastOwner>()
  /** What was noted at that sequence or before may be outdated. */
  #validAfter = 0
  #notedTo = 0

  constructor(state: StateStore) {
    this.#state = state
  }

  /**
   * Reads what was saved. Where another release has gone on without it, nothing of it counts.
   * @param sequence of the last message that the memory has taken in
   */
  load(sequence: number): void {
    const saved = this.#state.get(savedKey)
    this.#notedTo = sequence
    const isWhole = saved !== undefined && sequenceIn(saved.subarray(sequenceBytes)) === sequence
    this.#validAfter = isWhole ? sequenceIn(saved) : sequence
  }

  /** A message was taken in. */
  noteMessage(sequence: number): void {
    this.#notedTo = sequence
  }

  /** From here on it is not known who has got what: after a gap, or a block too large to note. */
  forgetAll(): void {
    this.#validAfter = this.#notedTo
  }

  /**
   * By the message that was taken in last.
   * @param hasRoom whether an id that was never seen is remembered
   * @returns whether the log contradicts the one before; an id that was never seen may be older
   */
  note(move: OwnerMove, hasRoom = true): boolean {
    const name = nameOf(move)
    const owner = this.#of(name)
    if (owner !== undefined || hasRoom) this.#put(name, withoutPrefix(move.to))
    return owner !== undefined && owner !== withoutPrefix(move.from)
  }

  /** A block is left. @param taken names of its ids so far: the first move of each tells */
  takeBack(move: OwnerMove, taken: Set<string>): void {
    const name = nameOf(move)
    if (taken.has(name)) return
    taken.add(name)
    if (this.#of(name) !== undefined) this.#put(name, withoutPrefix(move.from))
  }

  get unsavedCount(): number {
    return this.#unsaved.size
  }

  *unsaved(): Generator<readonly [Buffer, Buffer]> {
    for (const [name, last] of this.#unsaved) yield [keyOf(name), bytesOf(last)]
    const marks = [this.#validAfter, this.#notedTo].map(sequenceValue)
    yield [savedKey, Buffer.concat(marks)]
  }

  saved(): void {
    this.#unsaved.clear()
  }

  async forget(): Promise<void> {
    this.#unsaved.clear()
    this.#validAfter = 0
    this.#notedTo = 0
    await removeAll(this.#state, tag)
  }

  #put(name: string, owner: string): void {
    this.#unsaved.set(name, { owner, sequence: this.#notedTo })
  }

  #of(name: string): string | undefined {
    const saved = this.#unsaved.has(name) ? undefined : this.#state.get(keyOf(name))
    const last = this.#unsaved.get(name) ?? (saved && lastOwnerIn(saved))
    return last !== undefined && last.sequence > this.#validAfter ? last.owner : undefined
  }
}
