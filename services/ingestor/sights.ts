import { z } from 'zod'
import type { Address } from '../../libs/chain/hex.ts'
import { standards, type TokenMetadata } from '../../libs/chain/token.ts'
import type { StateStore } from '../../libs/ports/state-store.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { addressText, amount, integer } from '../../libs/topics/quantities.ts'

/** When a token was first seen, and what it then said of itself; null if nobody knows. */
export interface Sight {
  readonly block: number
  readonly metadata: TokenMetadata | null
  /** It was said in a block that is orphaned since: worth asking again. */
  readonly isOrphaned: boolean
}

const sightForm = z.object({
  block: integer,
  metadata: z
    .object({
      address: addressText,
      standard: z.enum(standards).nullable(),
      name: z.string().nullable(),
      symbol: z.string().nullable(),
      decimals: integer.nullable(),
      totalSupply: amount.nullable(),
      block: integer,
    })
    .nullable(),
  isOrphaned: z.boolean(),
})

const tag = Buffer.from('t')
const keyOf = (token: Address) => Buffer.concat([tag, Buffer.from(token.slice(2), 'hex')])
const forgottenAtOnceMax = 1000

/** The table of tokens seen: in memory until it is saved together with the place in the log. */
export class Sights {
  readonly #state: StateStore
  readonly #unsaved = new Map<Address, Sight>()

  constructor(state: StateStore) {
    this.#state = state
  }

  of(token: Address): Sight | undefined {
    const unsaved = this.#unsaved.get(token)
    if (unsaved) return unsaved
    const bytes = this.#state.get(keyOf(token))
    return bytes && sightForm.parse(JSON.parse(bytes.toString()))
  }

  /** The first sight counts, even of an orphan; what a token said is taken when it is known. */
  note(token: Address, seen: Pick<Sight, 'block' | 'metadata'>): void {
    const known = this.of(token)
    const block = Math.min(known?.block ?? seen.block, seen.block)
    const isAgain = known?.isOrphaned === true && isNews(known, seen)
    const metadata = isAgain ? seen.metadata : (known?.metadata ?? seen.metadata)
    if (known && known.block === block && known.metadata === metadata) return
    const isOrphaned = known?.isOrphaned === true && !isAgain
    this.#unsaved.set(token, { block, metadata, isOrphaned })
  }

  /** A block is left: its words are kept for want of better ones, its supply is not. */
  orphan({ address, block }: TokenMetadata, left: number): void {
    const known = this.of(address)
    if (!known?.metadata || known.isOrphaned || block < left) return
    const metadata = { ...known.metadata, totalSupply: null }
    this.#unsaved.set(address, { ...known, metadata, isOrphaned: true })
  }

  unsaved(): readonly (readonly [Buffer, Buffer])[] {
    return [...this.#unsaved].map(([token, sight]) => [
      keyOf(token),
      Buffer.from(encodeMessage(sight)),
    ])
  }

  saved(): void {
    this.#unsaved.clear()
  }

  async forget(): Promise<void> {
    this.#unsaved.clear()
    await forgetAll(this.#state, tag)
  }
}

/** Whether a token was asked anew, or an orphan's words only told again. */
const isNews = (known: Sight, { metadata }: Pick<Sight, 'metadata'>): boolean =>
  metadata !== null &&
  encodeMessage(metadata).toString() !== encodeMessage(known.metadata).toString()

/** Removes every key under a tag. */
export async function forgetAll(state: StateStore, tag: Buffer): Promise<void> {
  for (;;) {
    const keys = [...state.scan(tag, forgottenAtOnceMax)].map(({ key }) => key)
    if (keys.length === 0) return
    await state.commit(keys.map((key) => [key, null] as const))
  }
}
