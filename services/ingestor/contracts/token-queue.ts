import { z } from 'zod'
import { type Address, address } from '../../../libs/chain/hex.ts'
import { removeAll, type StateStore } from '../../../libs/ports/state-store.ts'
import { integerNumber } from '../../../libs/topics/quantities.ts'

const waitingForm = z.object({
  /** The block of its first sight. */
  since: integerNumber,
  tries: integerNumber,
  /** Not asked before this block. */
  againAt: integerNumber,
  /** Block of the last partial metadata; null if there was none. */
  partAt: integerNumber.nullable(),
})
type Waiting = z.output<typeof waitingForm>

/** Backoff in blocks after each attempt; after the last one there is no retry. */
const pausesBlocks = [4, 16, 64, 128] as const

export interface TokenQueueLimits {
  /** Maximum number of tokens in a queue; others are queried only in blocks that contain them. */
  readonly waitingTokensMax: number
  readonly firstSightDepthMax: number
  /** Minimum blocks between two queries of one token whose words may have changed. */
  readonly wordsPauseBlocks: number
  /** Blocks after which an active token is queried again, whatever it logged. */
  readonly wordsAgeBlocks: number
  /** Maximum active tokens queued per block for their age. */
  readonly agedTokensMax: number
}

/** First bytes of the keys of queues: of new tokens, and of those whose words may have changed. */
export const queueTags = { fresh: Buffer.from('w'), changed: Buffer.from('a') } as const

/**
 * Tokens in the log without metadata, or with incomplete metadata. They are queried as of newer
 * blocks until their first block is deep. Derived from the log, except for the number of attempts.
 * Tokens whose words may have changed have a queue of their own: whoever lets many contracts say so
 * must not keep new tokens waiting.
 */
export class TokenQueue {
  readonly #state: StateStore
  readonly #tag: Buffer
  readonly #limits: TokenQueueLimits
  readonly #waiting = new Map<Address, Waiting>()
  readonly #unsaved = new Set<Address>()

  constructor(state: StateStore, { tag, ...limits }: TokenQueueLimits & { readonly tag: Buffer }) {
    this.#state = state
    this.#tag = tag
    this.#limits = limits
  }

  /** Reads what was saved. */
  load(): void {
    for (const { key, value } of this.#state.scan(this.#tag, this.#limits.waitingTokensMax)) {
      const token = address(`0x${key.subarray(this.#tag.length).toString('hex')}`)
      this.#waiting.set(token, waitingForm.parse(JSON.parse(value.toString())))
    }
  }

  get count(): number {
    return this.#waiting.size
  }

  has(token: Address): boolean {
    return this.#waiting.has(token)
  }

  /** A block contains a token without metadata. @returns false if the queue is full */
  add(token: Address, since: number): boolean {
    if (this.#waiting.has(token)) return true
    if (this.#waiting.size >= this.#limits.waitingTokensMax) return false
    this.#set(token, { since, tries: 0, againAt: 0, partAt: null })
    return true
  }

  /**
   * Its words may have changed in a block: it is queried again, but not before `againAt`.
   * @returns false if the queue is full
   */
  ask(token: Address, change: { readonly since: number; readonly againAt: number }): boolean {
    const known = this.#waiting.get(token)
    if (known === undefined && this.#waiting.size >= this.#limits.waitingTokensMax) return false
    this.#set(token, { tries: 0, partAt: null, ...known, ...change })
    return true
  }

  /** Whether to query it as of a block; undefined if it is not queued. */
  isDue(token: Address, block: number): boolean | undefined {
    const waiting = this.#waiting.get(token)
    return waiting && block >= waiting.againAt
  }

  /** Tokens to query as of a block, least recently queried first. */
  due(block: number, countMax: number): readonly Address[] {
    const found: Address[] = []
    for (const [token, { againAt }] of this.#waiting) {
      if (found.length >= countMax) break
      if (block >= againAt) found.push(token)
    }
    return found
  }

  /** The query as of a block returned nothing, or incomplete metadata. */
  failed(token: Address, asked: { block: number; since: number; hasPart: boolean }): void {
    const { block, since, hasPart } = asked
    const known = this.#waiting.get(token)
    if (!known && this.#waiting.size >= this.#limits.waitingTokensMax) return
    const tries = (known?.tries ?? 0) + 1
    const againAt = block + (pausesBlocks[tries - 1] ?? this.#limits.firstSightDepthMax)
    const partAt = hasPart ? block : (known?.partAt ?? null)
    // To the end of the queue.
    this.#waiting.delete(token)
    this.#set(token, { since: known?.since ?? since, tries, againAt, partAt })
  }

  /** The log contains its metadata as of a block. */
  published(token: Address, block: number): void {
    const { partAt = null, since = block } = this.#waiting.get(token) ?? {}
    if (block >= since && (partAt === null || block > partAt)) this.#delete(token)
  }

  /** Removes tokens whose first block is deep. @returns how many were never queried */
  expire(block: number): number {
    let unasked = 0
    for (const [token, { since, tries }] of this.#waiting) {
      if (block - since < this.#limits.firstSightDepthMax) continue
      if (tries === 0) unasked++
      this.#delete(token)
    }
    return unasked
  }

  unsaved(): readonly (readonly [Buffer, Buffer | null])[] {
    return [...this.#unsaved].map((token) => {
      const waiting = this.#waiting.get(token)
      return [this.#keyOf(token), waiting ? Buffer.from(JSON.stringify(waiting)) : null] as const
    })
  }

  saved(): void {
    this.#unsaved.clear()
  }

  async forget(): Promise<void> {
    this.#waiting.clear()
    this.#unsaved.clear()
    await removeAll(this.#state, this.#tag)
  }

  #keyOf(token: Address): Buffer {
    return Buffer.concat([this.#tag, Buffer.from(token.slice(2), 'hex')])
  }

  #set(token: Address, waiting: Waiting): void {
    this.#waiting.set(token, waiting)
    this.#unsaved.add(token)
  }

  #delete(token: Address): void {
    if (this.#waiting.delete(token)) this.#unsaved.add(token)
  }
}
