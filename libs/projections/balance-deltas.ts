import { type Address, zeroAddress } from '../chain/hex.ts'
import type { Transfer } from '../chain/token.ts'
import { balanceEntityId } from './entities/balance.ts'
import type { Token } from './entities/token.ts'
import { type BalanceOrigin, editBalance } from './ownership.ts'
import type { StateDraft } from './state-draft.ts'
import { countsSupply } from './tokens.ts'

const amountEnd = 1n << 256n

interface BalanceDelta extends BalanceOrigin {
  delta: bigint
  /** Something else than transfers changed it as well. */
  isUnexplained: boolean
}

const isSupplyCounted = ({ standard }: Token): boolean =>
  standard !== null && countsSupply(standard)

/**
 * The sums of a block's transfers, per balance and per supply. A balance is validated at the end of
 * its block: contracts may log a payment before the income that it was paid from.
 */
export class BalanceDeltas {
  private readonly pairs = new Map<string, BalanceDelta>()
  private readonly supplies = new Map<Token, bigint>()
  private readonly deviating = new Set<Token>()

  /** `tokenId` is null for the fungible part. */
  transfer(transfer: Transfer, tokenId: bigint | null, origin: BalanceOrigin): void {
    const { token, from, to, value } = transfer
    if (from !== zeroAddress)
      this.add(balanceEntityId({ token, holder: from, tokenId }), -value, origin)
    if (to !== zeroAddress) this.add(balanceEntityId({ token, holder: to, tokenId }), value, origin)
  }

  private add(id: string, delta: bigint, { token, ordinal }: BalanceOrigin): void {
    const movement = this.pairs.get(id)
    if (movement === undefined) this.pairs.set(id, { token, ordinal, delta, isUnexplained: false })
    else movement.delta += delta
  }

  /** A balance and a supply that transfers do not explain. */
  markUnexplained(address: Address, holder: Address, token: Token): void {
    const id = balanceEntityId({ token: address, holder, tokenId: null })
    this.add(id, 0n, { token, ordinal: token.ordinal })
    const movement = this.pairs.get(id)
    if (movement) movement.isUnexplained = true
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
  apply(draft: StateDraft, block: number): void {
    for (const [id, { delta, token, ordinal, isUnexplained }] of this.pairs) {
      if (delta === 0n && !isUnexplained) continue
      const pair = editBalance(draft, id, { token, ordinal })
      if (block <= pair.asOf) continue
      pair.asOf = block
      const value = pair.value + delta
      const isPossible = value >= 0n && value < amountEnd
      // It moved what was never minted or observed: the supply does not hold it either.
      if (pair.isKnown && !isPossible && isSupplyCounted(token)) this.deviating.add(token)
      pair.isKnown &&= !isUnexplained && isPossible
      pair.value = pair.isKnown ? value : 0n
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
}
