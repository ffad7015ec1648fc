import type { Block, TransactionLog } from '../../chain/block.ts'
import { coinEmittersOf } from '../../chain/coin-emitters.ts'
import { type Address, withoutPrefix, zeroAddress } from '../../chain/hex.ts'
import { readByStandard } from '../../chain/read-form.ts'
import type { TokenMetadata, Transfer } from '../../chain/token.ts'
import type { BlockApplied, StateObserved } from '../../topics/blocks.ts'
import { balanceEntityId } from '../entities/balance.ts'
import type { Token } from '../entities/token.ts'
import { BlockTransfers, isRebase, wrappingHolder } from '../ledger/transfers.ts'
import { foldAccounts } from './accounts.ts'
import { BalanceDeltas } from './balance-deltas.ts'
import { beginBlock, isContinuousSince } from './continuity.ts'
import { judgeObserved, loseToken, noteCalls, notePairDeviates, observedAtOf } from './doubt.ts'
import { keepEarly, noteObserved, settle } from './early-transfers.ts'
import { fits } from './holder-count.ts'
import { changeOwner, editBalance, editNft, type Nft } from './ownership.ts'
import { newMovements, type StateDraft } from './state-draft.ts'
import { describe, editToken, noteUnlisted, observeSupply } from './tokens.ts'

interface Fold {
  readonly draft: StateDraft
  readonly movements: BalanceDeltas
  readonly block: number
}

/** A log is read by its token's standard; by its own form where that has another reading. */
function foldTransfer(fold: Fold, transfer: Transfer): void {
  const { draft, movements, block } = fold
  const { token: address } = transfer
  const token = editToken(draft, address, transfer.form)
  keepEarly(draft, transfer, { token, block })
  const read = readByStandard(transfer, token)
  const { standard, ordinal } = token
  const { form, tokenId } = read
  if (form === 'ERC-20' && transfer.form !== form) token.hasIndexedAmounts = true
  const isOwn = form === standard || (standard === 'ERC-404' && form !== 'ERC-1155')
  if (!isOwn) {
    foldPiece(fold, read, token)
    return
  }
  if (tokenId === null) {
    movements.transfer(read, null, { token, ordinal })
    movements.mint(token, read)
    return
  }
  const nft = editNft(draft, { address, token }, tokenId)
  if (nft.instance.standard !== standard) return
  if (standard === 'ERC-1155') {
    movements.transfer(read, tokenId, { token, ordinal: nft.instance.ordinal })
    return
  }
  if (standard === 'ERC-721') judgeSender(fold, read, nft)
  changeOwner(draft, nft, { owner: read.to, at: block })
  if (standard === 'ERC-404') return
  if (read.to === zeroAddress && read.from !== zeroAddress) token.burned += 1
  movements.transfer(read, null, { token, ordinal })
  movements.mint(token, read)
}

/**
 * An id that somebody else than its known owner sends has come to them without a transfer
 * (decision 64). One whose history the log holds, and that nobody owns, is minted first. An owner
 * that was observed before the log began may have got the id in its first block.
 */
function judgeSender({ draft, movements, block }: Fold, { from }: Transfer, nft: Nft): void {
  const { address, token, instance } = nft
  const owner = instance.owner ?? (instance.isComplete ? zeroAddress : null)
  const isObservedAhead = block <= (draft.chain.observedBefore ?? -1)
  if (owner === null || owner === from || isObservedAhead || block < instance.ownerAt) return
  const holder = from === zeroAddress ? owner : from
  const id = balanceEntityId({ token: address, holder, tokenId: null })
  const pair = editBalance(draft, id, { token, ordinal: token.ordinal })
  // Once more in a collection that was found sound, and not of an id that nobody was known to own.
  const isMore = pair.deviates && token.verdict === 'sound' && owner !== zeroAddress
  if (isMore) loseToken(draft, token, block)
  else notePairDeviates({ draft, token }, pair, block)
  for (const one of [from, owner]) {
    if (one !== zeroAddress) movements.markUnexplained(address, one, token)
  }
}

/**
 * An id in a log of another form than its token's standard: it is in the lists of its holders
 * (decision 61). Some contracts log both forms for one movement: the first one of an id counts.
 */
function foldPiece({ draft, movements, block }: Fold, read: Transfer, token: Token): void {
  const { token: address, tokenId, form, to } = read
  if (tokenId === null) return
  const nft = editNft(draft, { address, token, movedAs: form }, tokenId)
  if (nft.instance.standard !== form) return
  token.isMixed = true
  if (form === 'ERC-1155') {
    movements.transfer(read, tokenId, { token, ordinal: nft.instance.ordinal })
  } else {
    changeOwner(draft, nft, { owner: to, at: block })
  }
}

/** The contract need not be a token, or not yet: what deviates is remembered without a row. */
function foldWrapping({ draft, movements }: Fold, log: TransactionLog): void {
  const holder = wrappingHolder(log)
  if (holder === null) return
  const token = editToken(draft, log.address, null)
  if (token.standard !== null && token.standard !== 'ERC-20') return
  noteObserved(token)
  movements.markUnexplained(log.address, holder, token)
}

/** What a contract says of itself; where it says another standard, its transfers are read again. */
function* foldMetadata(draft: StateDraft, metadata: TokenMetadata): Generator<StateDraft> {
  const stored = draft.tokens.read(withoutPrefix(metadata.address))
  const before = stored?.decimals ?? 0
  const wasComplete = stored?.isComplete ?? false
  describe(draft, metadata)
  const { address, block } = metadata
  const token = editToken(draft, address, null)
  const hasIds = token.isMixed || token.hasIndexedAmounts
  const isReadOtherwise = before > 0 !== (token.decimals ?? 0) > 0
  if (token.isSettled && token.standard === 'ERC-20' && hasIds && isReadOtherwise) {
    loseToken(draft, token, block)
  }
  const isNews = token.isComplete && !wasComplete
  const early = settle(draft, { address, token, isNews }, metadata)
  yield draft
  if (early.length > 0) yield* foldEarly(draft, early)
}

/** Each block's at its end, as if their token had been known then. */
function* foldEarly(
  draft: StateDraft,
  early: readonly (Transfer & { block: number })[],
): Generator<StateDraft> {
  let movements = new BalanceDeltas(draft, newMovements())
  for (const [at, transfer] of early.entries()) {
    foldTransfer({ draft, movements, block: transfer.block }, transfer)
    yield draft
    if (early[at + 1]?.block === transfer.block) continue
    yield* movements.apply(transfer.block)
    movements = new BalanceDeltas(draft, newMovements())
  }
}

function* foldTransfers(draft: StateDraft, block: Block): Generator<StateDraft> {
  const movements = new BalanceDeltas(draft)
  const fold = { draft, movements, block: block.number }
  const transfers = yield* BlockTransfers.paced(block, draft)
  for (const transaction of block.transactions) {
    for (const log of transaction.logs) {
      for (const transfer of transfers.pacedOfLog(log)) {
        if (transfer !== null) foldTransfer(fold, transfer)
        yield draft
      }
      yield draft
    }
  }
  // After all transfers: the first of them may determine the standard.
  const coinEmitters = coinEmittersOf(block)
  const rebased = new Set<Address>()
  for (const { logs } of block.transactions) {
    for (const log of logs) {
      if (!coinEmitters.has(log.address)) foldWrapping(fold, log)
      if (isRebase(log)) rebased.add(log.address)
      yield draft
    }
  }
  yield* movements.apply(block.number)
  for (const address of transfers.unread) {
    const token = editToken(draft, address, 'ERC-721')
    noteObserved(token)
    loseToken(draft, token, block.number)
  }
  // What has never moved and was never asked for has nothing to lose.
  for (const address of rebased) {
    const token = draft.tokens.read(withoutPrefix(address))
    if (token !== undefined) loseToken(draft, editToken(draft, address, null), block.number)
  }
}

/** Yields where no value of an entity that can be spilled is in use. */
export function* foldBlock(draft: StateDraft, message: BlockApplied): Generator<StateDraft> {
  const { block, tokens } = message
  beginBlock(draft, block.number)
  yield* noteCalls(draft, block)
  yield* foldAccounts(draft, message)
  for (const metadata of tokens) yield* foldMetadata(draft, metadata)
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
  noteObserved(token)
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
export function* foldObserved(draft: StateDraft, message: StateObserved): Generator<StateDraft> {
  const { block } = message
  const isContinuous = isContinuousSince(draft, block)
  for (const metadata of message.tokens) yield* foldMetadata(draft, metadata)
  if (!isContinuous) return
  for (const { token, value } of message.supplies) {
    observeSupply(draft, editToken(draft, token, null), { supply: value, block })
  }
  for (const { token: address, tokenId, owner } of message.owners) {
    const token = editToken(draft, address, null)
    noteObserved(token)
    const nft = editNft(draft, { address, token }, tokenId)
    changeOwner(draft, nft, { owner, at: block, observedAt: observedAtOf(token, block) })
  }
  for (const balance of message.balances) observeBalance(draft, balance, block)
}
