import type { Authorization, Transaction } from '../../chain/block.ts'

/** What the chain did with an authorization (EIP-7702), as far as the log proves it. */
export type AuthorizationStatus =
  | 'ok'
  | 'invalid_chain_id'
  | 'invalid_signature'
  | 'invalid_nonce'
  | null

/** No account's nonce, and no chain's id, comes near: signers of greater ones are not recovered. */
const exactMax = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * The status of each authorization of a transaction, in the order of the chain's own checks. The
 * nonce of its sender is known: that of the transaction plus one, plus one for each of its own
 * valid authorizations before. Those of other accounts are not in the log: null, never estimated.
 */
export function authorizationStatuses(
  { from, nonce, authorizations }: Pick<Transaction, 'from' | 'nonce' | 'authorizations'>,
  chainId: number,
): readonly AuthorizationStatus[] {
  let next = BigInt(nonce) + 1n
  return authorizations.map((authorization) => {
    const fault = faultOf(authorization, BigInt(chainId))
    if (fault !== null) return fault
    if (authorization.authority !== from) return null
    if (authorization.nonce !== next) return 'invalid_nonce'
    next += 1n
    return 'ok'
  })
}

function faultOf({ chainId, nonce, authority }: Authorization, own: bigint): AuthorizationStatus {
  if (chainId !== 0n && chainId !== own) return 'invalid_chain_id'
  if (nonce > exactMax) return 'invalid_nonce'
  return authority === null ? 'invalid_signature' : null
}
