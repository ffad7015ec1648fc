import type { Authorization, Block, Transaction } from '../../chain/block.ts'
import { coinEmittersOf } from '../../chain/coin-emitters.ts'
import { type Address, address, withoutPrefix, zeroAddress } from '../../chain/hex.ts'
import type { Position } from '../../chain/position.ts'
import type { TableRow } from '../../tables/declare/table.ts'
import { addressState } from '../../tables/tables/addresses.ts'
import { type Account, newAccount } from '../entities/account.ts'
import type { EntityChange } from '../group.ts'
import { createdBy, transactionStatus } from '../ledger/transactions.ts'
import { rowDiff } from '../row-diff.ts'
import type { StateDraft } from './state-draft.ts'

/**
 * Contracts that a transaction made; inner ones are known only where there are traces. Null for a
 * call that made none: a transaction may have very many calls.
 */
export function* createdIn(transaction: Transaction): Generator<Address | null> {
  yield createdBy(transaction)
  // A failed transaction takes all that it made back with it.
  if (transactionStatus(transaction) === 0) return
  for (const { type, to, error } of transaction.calls ?? []) {
    const isCreation = type === 'CREATE' || type === 'CREATE2'
    yield isCreation && error === null ? to : null
  }
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
export function* foldAccounts(
  draft: StateDraft,
  { block, chainId, contracts }: AccountFacts,
): Generator<StateDraft> {
  const coinEmitters = coinEmittersOf(block)
  for (const transaction of block.transactions) {
    // Delegations hold even if the transaction failed; they come before its execution.
    foldDelegations(draft, transaction, chainId)
    for (const address of createdIn(transaction)) {
      yield draft
      if (address === null) continue
      const account = draft.accounts.edit(withoutPrefix(address), newAccount)
      account.hasCode = true
      account.creationTransaction = transaction.hash
      account.createdAt = block.number
    }
    for (const { address } of transaction.logs) {
      // Logs of the coin itself come from no code.
      if (!coinEmitters.has(address)) noteCode(draft, address)
      yield draft
    }
  }
  for (const address of contracts) {
    noteCode(draft, address)
    yield draft
  }
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

/**
 * EIP-7702: which accounts run whose code. The chain skips an authorization whose nonce is not that
 * of its authority, and no receipt reports it. What is known of nonces from the log:
 *
 * - The sender's is the transaction's plus one, plus one for each of its own authorizations before
 *   in the same list. So its own authorizations are validated for certain.
 * - A transaction contains its sender's nonce. It is stored for accounts that have authorized, and
 *   increases with each valid authorization. As long as the account runs no code, nothing else
 *   increases it: only that very nonce is valid. An account that runs code may have created
 *   contracts, so a higher nonce is valid as well, but as an assumption.
 * - The nonce of an account that never authorized is unknown: its first authorization by another
 *   sender is valid, as an assumption.
 *
 * An assumption ends with the account's next transaction: if its nonce is lower than assumed, the
 * previous delegation is restored. If it is not, the assumption is confirmed.
 */

/** No account's nonce comes near 2^53: the chain refuses such an authorization. */
const nonceMax = BigInt(Number.MAX_SAFE_INTEGER - 1)

function foldDelegations(
  draft: StateDraft,
  { from, nonce, authorizations }: Transaction,
  chainId: number,
): void {
  // Before the first authorization of the chain no account has a nonce to compare with.
  if (authorizations.length === 0 && !draft.chain.hasAuthorizations) return
  let next = nonce + 1
  settle(draft, from, nonce)
  for (const authorization of authorizations) {
    const { authority } = authorization
    if (authority === null || !isOf(authorization, BigInt(chainId))) continue
    const claim = { delegate: authorization.delegate, nonce: Number(authorization.nonce) }
    if (authority !== from) {
      authorize(draft, authority, claim)
    } else if (claim.nonce === next) {
      accept(draft, authority, claim)
      next += 1
    }
  }
}

const isOf = ({ chainId, nonce }: Authorization, of: bigint): boolean =>
  (chainId === 0n || chainId === of) && nonce <= nonceMax

interface DelegationClaim {
  readonly delegate: Address
  readonly nonce: number
}

/** Applies the nonce of a transaction to its sender, if that ever authorized anything. */
function settle(draft: StateDraft, sender: Address, nonce: number): void {
  const known = draft.accounts.read(withoutPrefix(sender))
  if (known === undefined || known.nonce === 0) return
  const account = draft.accounts.edit(withoutPrefix(sender), () => ({ ...known }))
  if (account.isAssumed && nonce < account.nonce) account.delegate = account.delegateBefore
  account.nonce = nonce + 1
  account.isAssumed = false
  account.delegateBefore = null
}

/** By another one than the sender, whose nonce need not be known. */
function authorize(draft: StateDraft, authority: Address, claim: DelegationClaim): void {
  const known = draft.accounts.read(withoutPrefix(authority)) ?? newAccount()
  const { nonce, isAssumed, delegate, delegateBefore } = known
  if (claim.nonce < nonce) return
  const isCertain = nonce > 0 && !isAssumed
  if (isCertain && delegate === null && claim.nonce > nonce) return
  const account = accept(draft, authority, claim)
  if (isCertain && claim.nonce === nonce) return
  account.isAssumed = true
  account.delegateBefore = isAssumed ? delegateBefore : delegate
}

function accept(
  draft: StateDraft,
  authority: Address,
  { delegate, nonce }: DelegationClaim,
): Account {
  draft.chain.hasAuthorizations = true
  const account = draft.accounts.edit(withoutPrefix(authority), newAccount)
  account.delegate = delegate === zeroAddress ? null : delegate
  account.nonce = nonce + 1
  return account
}
