import type { Address } from '../../libs/chain/hex.ts'
import type { CanonicalMessage } from './canonical.ts'
import { Delegations } from './delegations.ts'
import type { OracleToken } from './tokens.ts'

/** Decision 46. */
export function contractsOf(
  messages: readonly CanonicalMessage[],
  tokens: ReadonlyMap<Address, OracleToken>,
): Set<Address> {
  const contracts = new Set<Address>(tokens.keys())
  const delegations = new Delegations()
  for (const message of messages) {
    if (message.kind !== 'block.applied') continue
    for (const transaction of message.block.transactions) {
      delegations.sent(transaction, message.chainId)
      const { createdContract, status, calls } = transaction
      if (createdContract !== null && status !== 0) contracts.add(createdContract)
      for (const { type, to, error } of status === 0 ? [] : (calls ?? [])) {
        if (type.startsWith('CREATE') && to !== null && error === null) contracts.add(to)
      }
      // The log of an account that runs another's code does not prove code of its own.
      for (const { address } of transaction.logs) {
        if (!delegations.has(address)) contracts.add(address)
      }
    }
    for (const address of message.contracts) if (!delegations.has(address)) contracts.add(address)
  }
  for (const account of delegations.delegating()) contracts.add(account)
  return contracts
}
