import { z } from 'zod'
import type { Block } from '../../../libs/chain/block.ts'
import { coinEmittersOf } from '../../../libs/chain/coin-emitters.ts'
import type { Address } from '../../../libs/chain/hex.ts'
import type { Pause } from '../../../libs/chain/pauses.ts'
import { standards, type TokenMetadata } from '../../../libs/chain/token.ts'
import { removeAll, type StateStore } from '../../../libs/ports/state-store.ts'
import { hasTransferTopic } from '../../../libs/projections/ledger/transfers.ts'
import { encodeMessage } from '../../../libs/topics/codec.ts'
import { addressText, amountText, integerNumber } from '../../../libs/topics/quantities.ts'

/** The first block of a token, and its newest metadata; null if unknown. */
interface SeenToken {
  readonly block: number
  readonly metadata: TokenMetadata | null
  /** The metadata is from a block that has been orphaned: query it again. */
  readonly isOrphaned: boolean
}

const seenForm = z.object({
  block: integerNumber,
  metadata: z
    .object({
      address: addressText,
      standard: z.enum(standards).nullable(),
      name: z.string().nullable(),
      symbol: z.string().nullable(),
      decimals: integerNumber.nullable(),
      totalSupply: amountText.nullable(),
      block: integerNumber,
      hasCodeBefore: z.boolean().nullable().optional(),
    })
    .nullable(),
  isOrphaned: z.boolean(),
})

const tag = Buffer.from('t')
const keyOf = (token: Address) => Buffer.concat([tag, Buffer.from(token.slice(2), 'hex')])

/** The table of tokens seen: in memory until it is saved together with the place in the log. */
export class SeenTokens {
  readonly #state: StateStore
  readonly #unsaved = new Map<Address, SeenToken>()

  constructor(state: StateStore) {
    this.#state = state
  }

  of(token: Address): SeenToken | undefined {
    const unsaved = this.#unsaved.get(token)
    if (unsaved) return unsaved
    const bytes = this.#state.get(keyOf(token))
    return bytes && seenForm.parse(JSON.parse(bytes.toString()))
  }

  /** Keeps the first block, even an orphaned one, and the newest metadata. */
  note(token: Address, seen: Pick<SeenToken, 'block' | 'metadata'>): SeenToken {
    const known = this.of(token)
    const block = Math.min(known?.block ?? seen.block, seen.block)
    const isNews = known === undefined || saysMore(known, seen.metadata)
    const metadata = isNews ? seen.metadata : known.metadata
    if (known && known.block === block && known.metadata === metadata) return known
    const noted = { block, metadata, isOrphaned: !isNews && known.isOrphaned }
    this.#unsaved.set(token, noted)
    return noted
  }

  /** A block is left: its words are kept for want of better ones, its supply is not. */
  orphan({ address, block }: TokenMetadata, left: number): void {
    const known = this.of(address)
    if (!known?.metadata || known.isOrphaned || block < left) return
    const metadata = { ...known.metadata, totalSupply: null }
    this.#unsaved.set(address, { ...known, metadata, isOrphaned: true })
  }

  unsaved(): readonly (readonly [Buffer, Buffer])[] {
    return [...this.#unsaved].map(([token, seen]) => [
      keyOf(token),
      Buffer.from(encodeMessage(seen)),
    ])
  }

  saved(): void {
    this.#unsaved.clear()
  }

  async forget(): Promise<void> {
    this.#unsaved.clear()
    await removeAll(this.#state, tag)
  }
}

/** Whether the metadata is from a new query, not a repetition of what is known. */
function saysMore(known: SeenToken, metadata: TokenMetadata | null): boolean {
  if (metadata === null) return false
  if (known.metadata === null || metadata.block > known.metadata.block) return true
  const isSame = encodeMessage(metadata).toString() === encodeMessage(known.metadata).toString()
  return known.isOrphaned && !isSame
}

/** Addresses that emitted a log of the form of a transfer, in order of appearance. */
export async function tokensIn(block: Block, pause: Pause): Promise<readonly Address[]> {
  const found = new Set<Address>()
  const coinEmitters = coinEmittersOf(block)
  for (const { logs } of block.transactions) {
    for (const log of logs) {
      const paused = pause()
      if (paused !== undefined) await paused
      if (hasTransferTopic(log) && !coinEmitters.has(log.address)) found.add(log.address)
    }
  }
  return [...found]
}
