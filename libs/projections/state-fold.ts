import type { Block, TransactionLog } from '../chain/block.ts'
import { coinEmittersOf } from '../chain/coin-emitters.ts'
import { type Address, zeroAddress } from '../chain/hex.ts'
import type { Transfer } from '../chain/token.ts'
import type { BlockApplied, StateObserved } from '../topics/blocks.ts'
import { foldAccounts } from './accounts.ts'
import { beginBlock, isContinuousSince } from './continuity.ts'
import { judgeObserved, noteCalls, notePairDeviates, observedAtOf } from './doubt.ts'
import { balanceEntityId, parseBalanceId } from './entities/balance.ts'
import { type Movement, newMovement } from './entities/movement.ts'
import type { Token } from './entities/token.ts'
import { fits } from './holder-count.ts'
import { type BalanceOrigin, changeOwner, editBalance, editNft } from './ownership.ts'
import type { StateDraft } from './state-draft.ts'
import { countsSupply, describe, editToken, noteUnlisted, observeSupply } from './tokens.ts'
import { BlockTransfers, wrappingHolder } from './transfers.ts'

interface Fold {
  readonly draft: StateDraft
  readonly movements: BalanceDeltas
  readonly block: number
}

/** A log whose form is not the token's standard does not change balances. */
function foldTransfer({ draft, movements, block }: Fold, transfer: Transfer): void {
  const { form, tokenId, token: address } = transfer
  const token = editToken(draft, address, form)
  const { standard, ordinal } = token
  if (form !== standard && (form === 'ERC-1155' || standard !== 'ERC-404')) return
  if (tokenId === null) {
    movements.transfer(transfer, null, { token, ordinal })
    movements.mint(token, transfer)
    return
  }
  const nft = editNft(draft, { address, token }, tokenId)
  if (standard === 'ERC-1155') {
    movements.transfer(transfer, tokenId, { token, ordinal: nft.instance.ordinal })
    return
  }
  changeOwner(draft, nft, { owner: transfer.to, at: block })
  if (standard === 'ERC-404') return
  movements.transfer(transfer, null, { token, ordinal })
  movements.mint(token, transfer)
}

/** The contract need not be a token, or not yet: what deviates is remembered without a row. */
function foldWrapping({ draft, movements }: Fold, log: TransactionLog): void {
  const holder = wrappingHolder(log)
  if (holder === null) return
  const token = editToken(draft, log.address, null)
  if (token.standard !== null && token.standard !== 'ERC-20') return
  movements.markUnexplained(log.address, holder, token)
}

function* foldTransfers(draft: StateDraft, block: Block): Generator<StateDraft> {
  const movements = new BalanceDeltas(draft)
  const fold = { draft, movements, block: block.number }
  const transfers = new BlockTransfers(block)
  for (const transaction of block.transactions) {
    for (const log of transaction.logs) {
      for (const transfer of transfers.pacedOfLog(log)) {
        if (transfer !== null) foldTransfer(fold, transfer)
        yield draft
      }
    }
  }
  // After all transfers: the first of them may determine the standard.
  const coinEmitters = coinEmittersOf(block)
  for (const { logs } of block.transactions) {
    for (const log of logs) {
      if (!coinEmitters.has(log.address)) foldWrapping(fold, log)
      yield draft
    }
  }
  yield* movements.apply(block.number)
}

/** Yields where no value of an entity that can be spilled is in use. */
export function* foldBlock(draft: StateDraft, message: BlockApplied): Generator<StateDraft> {
  const { block, tokens } = message
  beginBlock(draft, block.number)
  yield* noteCalls(draft, block)
  yield* foldAccounts(draft, message)
  for (const metadata of tokens) {
    describe(draft, metadata)
    yield draft
  }
  yield* foldTransfers(draft, block)
}

type ObservedBalance = StateObserved['balances'][number]

/** Ids of ERC-404 are held once, or not at all. */
function isJudged({ standard }: Token, tokenId: bigint | null): boolean {
  if (standard === null || !fits(standard, tokenId !== null)) return false
  return standard !== 'ERC-404' || tokenId === null
}

function observeBalance(draft: StateDraft, balance: ObservedBalance, block: number): void {
  const { token: address, holder, tokenId, value } = balance
  if (holder === zeroAddress) return
  const token = editToken(draft, address, null)
  const ordinal =
    tokenId === null ? token.ordinal : editNft(draft, { address, token }, tokenId).instance.ordinal
  const id = balanceEntityId({ token: address, holder, tokenId })
  const pair = editBalance(draft, id, { token, ordinal })
  if (block < pair.asOf) return
  if (isJudged(token, tokenId)) judgeObserved({ draft, token }, pair, { value, block })
  pair.value = value
  pair.isKnown = true
  pair.asOf = block
  pair.observedAt = observedAtOf(token, block)
  if (token.standard !== null || pair.isUnlisted) return
  pair.isUnlisted = true
  noteUnlisted(draft, { address, token }, { kind: 'pair', id })
}

/** What a node returned replaces derived values, unless the log has changed them since. */
export function foldObserved(draft: StateDraft, message: StateObserved): void {
  const { block } = message
  const isContinuous = isContinuousSince(draft, block)
  for (const metadata of message.tokens) describe(draft, metadata)
  if (!isContinuous) return
  for (const { token, value } of message.supplies) {
    observeSupply(draft, editToken(draft, token, null), { supply: value, block })
  }
  for (const { token: address, tokenId, owner } of message.owners) {
    const token = editToken(draft, address, null)
    const nft = editNft(draft, { address, token }, tokenId)
    changeOwner(draft, nft, { owner, at: block, observedAt: observedAtOf(token, block) })
  }
  for (const balance of message.balances) observeBalance(draft, balance, block)
}

const amountEnd = 1n << 256n

const isSupplyCounted = ({ standard }: Token): boolean =>
  standard !== null && countsSupply(standard)

/**
 * The sums of a block's transfers, per balance and per supply. A balance is validated at the end of
 * its block: contracts may log a payment before the income that it was paid from.
 */
class BalanceDeltas {
  private readonly draft: StateDraft
  private readonly supplies = new Map<Token, bigint>()
  private readonly deviating = new Set<Token>()

  constructor(draft: StateDraft) {
    this.draft = draft
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
    return this.draft.movements.edit(id, () => newMovement(ordinal))
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
    for (const [id, { after }] of this.draft.movements.touched()) {
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
