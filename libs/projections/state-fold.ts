import type { Block, TransactionLog } from '../chain/block.ts'
import { zeroAddress } from '../chain/hex.ts'
import type { Transfer } from '../chain/token.ts'
import type { BlockApplied, StateObserved } from '../topics/blocks.ts'
import { foldAccounts } from './accounts.ts'
import { BalanceDeltas } from './balance-deltas.ts'
import { beginBlock, isContinuousSince } from './continuity.ts'
import { balanceEntityId } from './entities/balance.ts'
import { changeOwner, editBalance, editNft } from './ownership.ts'
import type { StateDraft } from './state-draft.ts'
import { describe, editToken, noteUnlisted, observeSupply } from './tokens.ts'
import { transfersOf, wrappingHolder } from './transfers.ts'

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

function foldTransfers(draft: StateDraft, block: Block): void {
  const movements = new BalanceDeltas()
  const fold = { draft, movements, block: block.number }
  for (const transaction of block.transactions) {
    for (const transfer of transfersOf(transaction)) foldTransfer(fold, transfer)
  }
  // After all transfers: the first of them may say what the token is.
  for (const { logs } of block.transactions) for (const log of logs) foldWrapping(fold, log)
  movements.apply(draft, block.number)
}

export function foldBlock(draft: StateDraft, message: BlockApplied): void {
  const { block, tokens } = message
  beginBlock(draft, block.number)
  foldAccounts(draft, message)
  for (const metadata of tokens) describe(draft, metadata)
  foldTransfers(draft, block)
}

type ObservedBalance = StateObserved['balances'][number]

function observeBalance(draft: StateDraft, balance: ObservedBalance, block: number): void {
  const { token: address, holder, tokenId, value } = balance
  if (holder === zeroAddress) return
  const token = editToken(draft, address, null)
  const ordinal =
    tokenId === null ? token.ordinal : editNft(draft, { address, token }, tokenId).instance.ordinal
  const id = balanceEntityId({ token: address, holder, tokenId })
  const pair = editBalance(draft, id, { token, ordinal })
  if (block < pair.asOf) return
  pair.value = value
  pair.isKnown = true
  pair.asOf = block
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
    changeOwner(draft, nft, { owner, at: block })
  }
  for (const balance of message.balances) observeBalance(draft, balance, block)
}
