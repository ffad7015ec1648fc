import { type Address, zeroAddress } from '../../chain/hex.ts'
import type { Transfer } from '../../chain/token.ts'
import { balanceEntityId, parseBalanceId } from '../entities/balance.ts'
import { type Movement, newMovement } from '../entities/movement.ts'
import type { Token } from '../entities/token.ts'
import { notePairDeviates } from './doubt.ts'
import { type BalanceOrigin, editBalance } from './ownership.ts'
import type { StateDraft } from './state-draft.ts'
import { countsSupply, editToken } from './tokens.ts'

const amountEnd = 1n << 256n

const isSupplyCounted = ({ standard }: Token): boolean =>
  standard !== null && countsSupply(standard)

/**
 * The sums of a block's transfers, per balance and per supply. A balance is validated at the end of
 * its block: contracts may log a payment before the income that it was paid from.
 */
export class BalanceDeltas {
  private readonly draft: StateDraft
  private readonly supplies = new Map<Token, bigint>()
  private readonly deviating = new Set<Token>()
  private readonly movements: StateDraft['movements']

  constructor(draft: StateDraft, movements = draft.movements) {
    this.draft = draft
    this.movements = movements
  }

  /** `tokenId` is null for the fungible part. */
  transfer(transfer: Transfer, tokenId: bigint | null, { ordinal }: BalanceOrigin): void {
    const { token, from, to, value } = transfer
    if (from !== zeroAddress) {
      this.movement(balanceEntityId({ token, holder: from, tokenId }), ordinal).delta -= value
    }
    if (to !== zeroAddress) {
      this.movement(balanceEntityId({ token, holder: to, tokenId }), ordinal).delta += value
    }
  }

  private movement(id: string, ordinal: number): Movement {
    return this.movements.edit(id, () => newMovement(ordinal))
  }

  /** A balance and a supply that transfers do not explain. */
  markUnexplained(address: Address, holder: Address, token: Token): void {
    const id = balanceEntityId({ token: address, holder, tokenId: null })
    this.movement(id, token.ordinal).isUnexplained = true
    this.deviating.add(token)
  }

  /** Transfers from and to the zero address mint and burn. */
  mint(token: Token, { from, to, value }: Transfer): void {
    const minted = from === zeroAddress ? value : 0n
    const burned = to === zeroAddress ? value : 0n
    if (minted === burned) return
    this.supplies.set(token, (this.supplies.get(token) ?? 0n) + minted - burned)
  }

  /** Writes what moved as of the end of `block`. What cannot be is unknown until observed. */
  *apply(block: number): Generator<StateDraft> {
    for (const [id, { after }] of this.movements.touched()) {
      this.applyTo(id, after, block)
      yield this.draft
    }
    // Before the mints of this block, which are then known to add to nothing.
    for (const token of this.deviating) {
      if (block <= token.supplyAt) continue
      token.supply = null
      token.supplyAt = block
    }
    for (const [token, delta] of this.supplies) {
      if (delta === 0n || block <= token.supplyAt) continue
      token.supplyAt = block
      if (token.supply === null) continue
      const supply = token.supply + delta
      token.supply = supply >= 0n && supply < amountEnd ? supply : null
    }
  }

  private applyTo(id: string, { delta, ordinal, isUnexplained }: Movement, block: number): void {
    if (delta === 0n && !isUnexplained) return
    const { draft } = this
    const token = editToken(draft, parseBalanceId(id).token, null)
    const pair = editBalance(draft, id, { token, ordinal })
    if (block <= pair.asOf) return
    pair.asOf = block
    const value = pair.value + delta
    const isPossible = value >= 0n && value < amountEnd
    // It moved what was never minted or observed: the supply does not hold it either.
    const isOverdrawn = pair.isKnown && !isPossible
    if (isOverdrawn && isSupplyCounted(token)) this.deviating.add(token)
    if (isOverdrawn && !isUnexplained) notePairDeviates({ draft, token }, pair, block)
    pair.isKnown &&= !isUnexplained && isPossible && !pair.deviates
    pair.value = pair.isKnown ? value : 0n
    pair.observedAt = 0
  }
}
