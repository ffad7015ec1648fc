import type { Authorization, Block, Transaction } from '../chain/block.ts'
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
  authorizedTo: 0,
})

/** No account's nonce comes near 2^53: the chain refuses such an authorization. */
const nonceMax = BigInt(Number.MAX_SAFE_INTEGER - 1)

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

interface Said {
  readonly block: Block
  readonly chainId: number
  /** Addresses that the source knows to have code. */
  readonly contracts: readonly Address[]
}

/** What a block says of addresses: created, delegating, emitting logs, known (decision 46). */
export function foldAccounts(draft: Draft, { block, chainId, contracts }: Said): void {
  for (const transaction of block.transactions) {
    // Delegations hold even if the transaction failed; they come before its execution.
    for (const authorization of transaction.authorizations) {
      delegate(draft, authorization, BigInt(chainId))
    }
    for (const address of createdIn(transaction)) {
      const account = draft.accounts.edit(bare(address), newAccount)
      account.hasCode = true
      account.creationTransaction = transaction.hash
      account.createdAt = block.number
    }
    for (const { address } of transaction.logs) noteCode(draft, address)
  }
  for (const address of contracts) noteCode(draft, address)
}

/** A nonce counts once: whoever sends an old authorization again changes nothing. */
function delegate(
  draft: Draft,
  { chainId, authority, nonce, delegate }: Authorization,
  of: bigint,
) {
  if (authority === null || (chainId !== 0n && chainId !== of) || nonce > nonceMax) return
  const known = draft.accounts.read(bare(authority))
  if (nonce < BigInt(known?.authorizedTo ?? 0)) return
  const account = draft.accounts.edit(bare(authority), newAccount)
  account.delegate = delegate === zeroAddress ? null : delegate
  account.authorizedTo = Number(nonce) + 1
}

/** What an account that delegates, or did, says and runs is its delegate's doing. */
function noteCode(draft: Draft, address: Address): void {
  const known = draft.accounts.read(bare(address))
  if (known?.hasCode || (known?.authorizedTo ?? 0) > 0) return
  draft.accounts.edit(bare(address), newAccount).hasCode = true
}
