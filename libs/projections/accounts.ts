import type { Block, Transaction } from '../chain/block.ts'
import { type Address, address, withoutPrefix } from '../chain/hex.ts'
import type { Position } from '../chain/position.ts'
import { addressState } from '../tables/address-state.ts'
import type { TableRow } from '../tables/table-row.ts'
import { foldDelegations } from './delegations.ts'
import { type Account, newAccount } from './entities/account.ts'
import { rowDiff } from './row-diff.ts'
import type { EntityChange } from './state.ts'
import type { StateDraft } from './state-draft.ts'
import { createdBy, transactionStatus } from './transactions.ts'

/** Contracts that a transaction made; inner ones are known only where there are traces. */
function createdIn(transaction: Transaction): Address[] {
  const outer = createdBy(transaction)
  const created = outer === null ? [] : [outer]
  // A failed transaction takes all that it made back with it.
  if (transactionStatus(transaction) === 0) return created
  for (const { type, to, error } of transaction.calls ?? []) {
    const isCreation = type === 'CREATE' || type === 'CREATE2'
    if (isCreation && to !== null && error === null) created.push(to)
  }
  return created
}

interface AccountFacts {
  readonly block: Block
  readonly chainId: number
  /** Addresses that the source knows to have code. */
  readonly contracts: readonly Address[]
}

/**
 * Folds what a block contains about addresses: created, delegating, emitting logs, with code
 * (decision 46).
 */
export function foldAccounts(draft: StateDraft, { block, chainId, contracts }: AccountFacts): void {
  for (const transaction of block.transactions) {
    // Delegations hold even if the transaction failed; they come before its execution.
    foldDelegations(draft, transaction, chainId)
    for (const address of createdIn(transaction)) {
      const account = draft.accounts.edit(withoutPrefix(address), newAccount)
      account.hasCode = true
      account.creationTransaction = transaction.hash
      account.createdAt = block.number
    }
    for (const { address } of transaction.logs) noteCode(draft, address)
  }
  for (const address of contracts) noteCode(draft, address)
}

/**
 * Skips accounts that delegate or have delegated: their logs and code are those of the delegate.
 */
function noteCode(draft: StateDraft, address: Address): void {
  const known = draft.accounts.read(withoutPrefix(address))
  if (known?.hasCode || (known?.nonce ?? 0) > 0) return
  draft.accounts.edit(withoutPrefix(address), newAccount).hasCode = true
}

/** An account that delegates is a contract as long as it does (decision 46). */
export function addressRows(change: EntityChange<Account>, position: Position): TableRow[] {
  const rowOf = (account: Account | undefined, isDeleted: 0 | 1) => {
    if (account === undefined) return null
    const { hasCode, creationTransaction, delegate } = account
    const isContract = hasCode || delegate !== null
    const key = { address: address(`0x${change.id}`) }
    return { ...key, isContract, creationTransaction, delegate, position, isDeleted }
  }
  const versions = {
    before: rowOf(change.before, 1),
    after: rowOf(change.after, 0),
    isRenewed: false,
  }
  return rowDiff(addressState, versions, false)
}
