import type { Block, Transaction } from '../chain/block.ts'
import { type Address, zeroAddress } from '../chain/hex.ts'
import type { Draft } from './draft.ts'
import type { Account } from './entities/account.ts'
import { bare } from './entities/pair.ts'
import { createdBy, statusOf } from './transactions.ts'

const newAccount = (): Account => ({
  hasCode: false,
  creationTransaction: null,
  createdAt: -1,
  delegate: null,
})

/** Contracts that a transaction made; inner ones are known only where there are traces. */
function createdIn(transaction: Transaction): Address[] {
  const outer = createdBy(transaction)
  const created = outer === null ? [] : [outer]
  // A failed transaction takes all that it made back with it.
  if (statusOf(transaction) === 0) return created
  for (const { type, to, error } of transaction.calls ?? []) {
    const isCreation = type === 'CREATE' || type === 'CREATE2'
    if (isCreation && to !== null && error === null) created.push(to)
  }
  return created
}

/** What a block says of addresses: created, delegating, or emitting logs (decision 46). */
export function foldAccounts(draft: Draft, block: Block, chainId: number): void {
  for (const transaction of block.transactions) {
    // Delegations hold even if the transaction failed; they come before its execution.
    for (const { chainId: chain, authority, delegate } of transaction.authorizations) {
      if (authority === null || (chain !== 0n && chain !== BigInt(chainId))) continue
      const account = draft.accounts.edit(bare(authority), newAccount)
      account.delegate = delegate === zeroAddress ? null : delegate
    }
    for (const address of createdIn(transaction)) {
      const account = draft.accounts.edit(bare(address), newAccount)
      account.hasCode = true
      account.creationTransaction = transaction.hash
      account.createdAt = block.number
    }
    for (const { address } of transaction.logs) {
      const known = draft.accounts.read(bare(address))
      // A log from a delegating account is its delegate's doing: no code of its own.
      if (known?.hasCode || known?.delegate) continue
      draft.accounts.edit(bare(address), newAccount).hasCode = true
    }
  }
}
