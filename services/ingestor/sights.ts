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
  note(token: Address, seen: Sight): void {
    const known = this.of(token)
    const block = Math.min(known?.block ?? seen.block, seen.block)
    const metadata = known?.metadata ?? seen.metadata
    if (known && known.block === block && known.metadata === metadata) return
    this.#unsaved.set(token, { block, metadata })
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
    for (;;) {
      const keys = [...this.#state.scan(tag, forgottenAtOnceMax)].map(({ key }) => key)
      if (keys.length === 0) return
      await this.#state.commit(keys.map((key) => [key, null] as const))
    }
  }
}
