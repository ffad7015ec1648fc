import { type Address, zeroAddress } from '../../chain/hex.ts'
import type { TransferRow } from '../transfer.ts'

/** What each account has more or less of fungible tokens after all transfers of a transaction. */
export class NetChanges {
  private readonly byAccount = new Map<Address, Map<Address, bigint>>()

  constructor(transfers: readonly TransferRow[]) {
    for (const { token, tokenId, from, to, value } of transfers) {
      if (tokenId !== null) continue
      this.add(from, token, -value)
      this.add(to, token, value)
    }
  }

  /** Whether all who have more of a token gave no other: it is nobody's way to something else. */
  isOnlyReceived(token: Address): boolean {
    return this.isOneSided(token, 1n)
  }

  /** Whether all who have less of a token got no other. */
  isOnlyPaid(token: Address): boolean {
    return this.isOneSided(token, -1n)
  }

  private isOneSided(token: Address, sign: 1n | -1n): boolean {
    const accounts = [...this.byAccount.values()].filter(
      (changes) => (changes.get(token) ?? 0n) * sign > 0n,
    )
    const isOpposite = (change: bigint) => change * sign < 0n
    return (
      accounts.length > 0 && !accounts.some((changes) => [...changes.values()].some(isOpposite))
    )
  }

  private add(account: Address, token: Address, change: bigint): void {
    if (account === zeroAddress) return
    const changes = this.byAccount.get(account) ?? new Map<Address, bigint>()
    this.byAccount.set(account, changes)
    changes.set(token, (changes.get(token) ?? 0n) + change)
  }
}
