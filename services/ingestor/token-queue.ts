import { z } from 'zod'
import { type Address, address } from '../../libs/chain/hex.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { integerNumber } from '../../libs/topics/quantities.ts'
import { forgetAll } from './forget-all.ts'

const waitingForm = z.object({
  /** The block of its first sight. */
  since: integerNumber,
  tries: integerNumber,
  /** Not asked before this block. */
  againAt: integerNumber,
  /** What was told as of this block was a part; null if nothing was. */
  partAt: integerNumber.nullable(),
})
type Waiting = z.output<typeof waitingForm>

const tag = Buffer.from('w')
const keyOf = (token: Address) => Buffer.concat([tag, Buffer.from(token.slice(2), 'hex')])

/** Blocks to wait after the first try, the second, …; after the last one it is not asked again. */
const pausesBlocks = [4, 16, 64, 128] as const

export interface TokenQueueLimits {
  /** Tokens remembered to be asked; others are asked only in blocks that show them. */
  readonly waitingTokensMax: number
  readonly firstSightDepthMax: number
}

/**
 * Tokens that the log shows without telling what they say of themselves: those that had no turn
 * yet, and those that did not answer, or not all. They are asked as of newer blocks until their
 * first sight is deep. All of it follows from the log, but for how often they were asked.
 */
export class TokenQueue {
  readonly #state: StateStore
  readonly #limits: TokenQueueLimits
  readonly #waiting = new Map<Address, Waiting>()
  readonly #unsaved = new Set<Address>()

  constructor(state: StateStore, limits: TokenQueueLimits) {
    this.#state = state
    this.#limits = limits
  }

  /** Reads what was saved. */
  load(): void {
    for (const { key, value } of this.#state.scan(tag, this.#limits.waitingTokensMax)) {
      const token = address(`0x${key.subarray(tag.length).toString('hex')}`)
      this.#waiting.set(token, waitingForm.parse(JSON.parse(value.toString())))
    }
  }

  get count(): number {
    return this.#waiting.size
  }

  /** A block shows a token of which nothing is told. @returns false at the bound */
  add(token: Address, since: number): boolean {
    if (this.#waiting.has(token)) return true
    if (this.#waiting.size >= this.#limits.waitingTokensMax) return false
    this.#set(token, { since, tries: 0, againAt: 0, partAt: null })
    return true
  }

  /** Whether to ask it as of a block, if nothing is known of it; undefined if it does not wait. */
  isDue(token: Address, block: number): boolean | undefined {
    const waiting = this.#waiting.get(token)
    return waiting && block >= waiting.againAt
  }

  /** Tokens to ask as of a block, those asked longest ago first. */
  due(block: number, countMax: number): readonly Address[] {
    const found: Address[] = []
    for (const [token, { againAt }] of this.#waiting) {
      if (found.length >= countMax) break
      if (block >= againAt) found.push(token)
    }
    return found
  }

  /** It was asked as of a block, and told nothing, or a part. */
  failed(token: Address, asked: { block: number; since: number; hasToldPart: boolean }): void {
    const { block, since, hasToldPart } = asked
    const known = this.#waiting.get(token)
    if (!known && this.#waiting.size >= this.#limits.waitingTokensMax) return
    const tries = (known?.tries ?? 0) + 1
    const againAt = block + (pausesBlocks[tries - 1] ?? this.#limits.firstSightDepthMax)
    const partAt = hasToldPart ? block : (known?.partAt ?? null)
    // To the end of the line.
    this.#waiting.delete(token)
    this.#set(token, { since: known?.since ?? since, tries, againAt, partAt })
  }

  /** The log tells what it said as of a block. */
  told(token: Address, block: number): void {
    const { partAt = null } = this.#waiting.get(token) ?? {}
    if (partAt === null || block > partAt) this.#delete(token)
  }

  /** A block is applied: tokens seen first long before wait no more. @returns those never asked */
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
      return [keyOf(token), waiting ? Buffer.from(JSON.stringify(waiting)) : null] as const
    })
  }

  saved(): void {
    this.#unsaved.clear()
  }

  async forget(): Promise<void> {
    this.#waiting.clear()
    this.#unsaved.clear()
    await forgetAll(this.#state, tag)
  }

  #set(token: Address, waiting: Waiting): void {
    this.#waiting.set(token, waiting)
    this.#unsaved.add(token)
  }

  #delete(token: Address): void {
    if (this.#waiting.delete(token)) this.#unsaved.add(token)
  }
}
