import { type Address, zeroAddress } from '../../libs/chain/hex.ts'
import type { CanonicalMessage } from './canonical.ts'
import type { OracleToken } from './tokens.ts'

/** Decision 46. */
export function contractsOf(
  messages: readonly CanonicalMessage[],
  tokens: ReadonlyMap<Address, OracleToken>,
): Set<Address> {
  const contracts = new Set<Address>(tokens.keys())
  const delegating = new Set<Address>()
  const nonces = new Map<Address, bigint>()
  for (const message of messages) {
    if (message.kind !== 'block.applied') continue
    for (const transaction of message.block.transactions) {
      for (const { chainId, authority, delegate, nonce } of transaction.authorizations) {
        if (authority === null || (chainId !== 0n && chainId !== BigInt(message.chainId))) continue
        if (nonce < (nonces.get(authority) ?? 0n)) continue
        nonces.set(authority, nonce + 1n)
        if (delegate === zeroAddress) delegating.delete(authority)
        else delegating.add(authority)
      }
      const { createdContract, status, calls } = transaction
      if (createdContract !== null && status !== 0) contracts.add(createdContract)
      for (const { type, to, error } of status === 0 ? [] : (calls ?? [])) {
        if (type.startsWith('CREATE') && to !== null && error === null) contracts.add(to)
      }
      // The log of an account that runs another's code says nothing of code of its own.
      for (const { address } of transaction.logs) {
        if (!nonces.has(address)) contracts.add(address)
      }
    }
    for (const address of message.contracts) if (!nonces.has(address)) contracts.add(address)
  }
  for (const account of delegating) contracts.add(account)
  return contracts
}
