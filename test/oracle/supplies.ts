import { type Address, zeroAddress } from '../../libs/chain/hex.ts'
import type { Standard } from '../../libs/chain/token.ts'
import type { BlockApplied } from '../../libs/topics/blocks.ts'
import type { CanonicalMessage } from './canonical.ts'
import { contentsOf, type IncludedTransfer } from './chain-contents.ts'
import type { Doubts, TokenTotals } from './doubts.ts'
import type { Holding, Settled } from './holdings.ts'

interface Supply {
  value: bigint | null
  /** The block of the last mint, burn or observation; -1 before. */
  asOf: number
}

interface Standing {
  readonly standardOf: (token: Address) => Standard | null
  /** @param gapEnd of the log so far */
  readonly isComplete: (token: Address, gapEnd: number) => boolean
  readonly doubts: Doubts
  /** Whether the log has named a standard of the token by now: before, nothing contradicts. */
  readonly isNamed: (token: Address) => boolean
  /** By the standard of its token. */
  readonly read: (transfer: IncludedTransfer) => IncludedTransfer
}

/**
 * Decision 55: what was minted less what was burned, or what a contract reported itself; null where
 * the log contradicts it.
 */
export class Supplies {
  readonly #standing: Standing
  readonly #supplies = new Map<Address, Supply>()
  readonly #burned = new Map<Address, bigint>()
  #gapEnd = -1
  /** Tokens that have reported their standard so far. */
  readonly #met = new Set<Address>()
  /** Tokens of which more was held than there is, after the last message. */
  #exceeded = new Set<Address>()

  constructor(standing: Standing) {
    this.#standing = standing
  }

  of(token: Address): bigint | null {
    return this.#standing.doubts.isRestless(token) ? null : this.#at(token).value
  }

  /** Takes each message in turn, with what it made of the balances. */
  after(message: CanonicalMessage, { balances, deviating }: Settled): void {
    if (message.kind === 'gap.declared') {
      this.#gapEnd = message.to
      for (const supply of this.#supplies.values()) supply.value = null
      return
    }
    for (const token of tokensIn(message)) this.#met.add(token)
    const { doubts } = this.#standing
    const asOf = message.kind === 'block.applied' ? message.block.number : message.block
    this.#forget(doubts.called, asOf)
    const reported = this.#applyReported(message)
    const contradicted = [...doubts.contradicted].filter((token) => !reported.has(token))
    this.#forget(new Set(contradicted), asOf)
    if (message.kind === 'block.applied') this.#move(message, deviating)
    const held = this.#heldOf(balances)
    for (const token of touchedBy(message)) {
      if (!this.#standing.isNamed(token)) continue
      doubts.judge(token, this.totalsOf(token, balances), asOf)
    }
    const exceeded = [...this.#met]
      .map((token) => [token, this.#at(token)] as const)
      .filter(([token, { value }]) => value !== null && (held.get(token) ?? 0n) > value)
    for (const [token, supply] of exceeded) {
      if (reported.has(token) || this.#exceeded.has(token)) continue
      supply.value = null
      supply.asOf = Math.max(supply.asOf, asOf)
    }
    this.#exceeded = new Set(
      exceeded.flatMap(([token, { value }]) => (value === null ? [] : token)),
    )
  }

  /** All balances of a token together, as they are known now. */
  totalsOf(token: Address, balances: readonly Holding[]): TokenTotals {
    const { standardOf, isComplete } = this.#standing
    const mine = balances.filter(
      (one) => one.token === token && one.holder !== zeroAddress && one.asOf >= 0,
    )
    const standard = standardOf(token)
    const counted = mine.filter(
      ({ tokenId, isKnown }) => isKnown && (tokenId !== null) === (standard === 'ERC-1155'),
    )
    const holders = counted.filter(({ value }) => value > 0n).map(({ holder }) => holder)
    const { value: supply, asOf: supplyAt } = this.#at(token)
    return {
      standard,
      isComplete: isComplete(token, this.#gapEnd),
      held: this.#heldOf(mine).get(token) ?? 0n,
      burned: this.#burned.get(token) ?? 0n,
      holders: new Set(holders).size,
      unknowns: mine.filter(({ isKnown }) => !isKnown).length,
      supply,
      supplyAt,
    }
  }

  #forget(tokens: ReadonlySet<Address>, asOf: number): void {
    for (const token of tokens) {
      const supply = this.#at(token)
      if (asOf >= supply.asOf) Object.assign(supply, { value: null, asOf })
    }
  }

  #at(token: Address): Supply {
    const { standardOf, isComplete } = this.#standing
    const standard = standardOf(token)
    const isCounted =
      standard !== null && standard !== 'ERC-1155' && isComplete(token, this.#gapEnd)
    const supply = this.#supplies.get(token) ?? { value: isCounted ? 0n : null, asOf: -1 }
    this.#supplies.set(token, supply)
    return supply
  }

  /** What contracts say themselves. @returns of which tokens it counts */
  #applyReported(message: Exclude<CanonicalMessage, { kind: 'gap.declared' }>): Set<Address> {
    const said = message.tokens.flatMap(({ address: token, totalSupply: value, block: asOf }) =>
      value === null ? [] : { token, value, asOf },
    )
    if (message.kind === 'state.observed') {
      const { block: asOf } = message
      said.push(...message.supplies.map(({ token, value }) => ({ token, value, asOf })))
    }
    const reported = new Set<Address>()
    for (const { token, value, asOf } of said) {
      const supply = this.#at(token)
      if (asOf < this.#gapEnd || asOf < supply.asOf) continue
      Object.assign(supply, { value, asOf })
      reported.add(token)
    }
    return reported
  }

  #move(message: BlockApplied, deviating: ReadonlySet<Address>): void {
    const { number } = message.block
    const minted = this.#mintedIn(message)
    for (const token of new Set([...deviating, ...minted.keys()])) {
      const delta = minted.get(token) ?? 0n
      const isUnknown = deviating.has(token)
      const supply = this.#at(token)
      if ((delta === 0n && !isUnknown) || number <= supply.asOf) continue
      const value = supply.value === null || isUnknown ? null : supply.value + delta
      supply.value = value !== null && value >= 0n && value < 1n << 256n ? value : null
      supply.asOf = number
    }
  }

  #mintedIn(message: BlockApplied): Map<Address, bigint> {
    const minted = new Map<Address, bigint>()
    const { read } = this.#standing
    for (const { form, from, to, value, log } of contentsOf([message], read).transfers) {
      const standard = this.#standing.standardOf(log.address)
      const isCounted = standard === 'ERC-404' ? form === 'ERC-20' : form === standard
      if (
        !isCounted ||
        standard === 'ERC-1155' ||
        (from === zeroAddress) === (to === zeroAddress)
      ) {
        continue
      }
      const delta = from === zeroAddress ? value : -value
      const burned = this.#burned.get(log.address) ?? 0n
      if (to === zeroAddress) this.#burned.set(log.address, burned + value)
      minted.set(log.address, (minted.get(log.address) ?? 0n) + delta)
    }
    return minted
  }

  #heldOf(balances: Settled['balances']): Map<Address, bigint> {
    const held = new Map<Address, bigint>()
    for (const { token, holder, tokenId, value, isKnown } of balances) {
      if (tokenId !== null || !isKnown || holder === zeroAddress) continue
      if (this.#standing.standardOf(token) === 'ERC-1155') continue
      held.set(token, (held.get(token) ?? 0n) + value)
    }
    return held
  }
}

/** Tokens that a message says anything of. */
function touchedBy(message: Exclude<CanonicalMessage, { kind: 'gap.declared' }>): Set<Address> {
  const told = message.tokens.map(({ address }) => address)
  if (message.kind === 'state.observed') {
    const balances = message.balances.filter(({ holder }) => holder !== zeroAddress)
    for (const { token } of [...balances, ...message.supplies, ...message.owners]) told.push(token)
    return new Set(told)
  }
  const logs = message.block.transactions.flatMap((transaction) => transaction.logs)
  return new Set([...told, ...logs.map(({ address }) => address)])
}

/** Addresses that say here what they are: by their words, or by the form of a transfer. */
function tokensIn(message: Exclude<CanonicalMessage, { kind: 'gap.declared' }>): Address[] {
  const said = message.tokens.flatMap(({ address, standard, decimals }) =>
    standard || decimals ? address : [],
  )
  return [...said, ...contentsOf([message]).transfers.map(({ log }) => log.address)]
}
