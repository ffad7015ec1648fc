import type { Authorization, Transaction } from '../../libs/chain/block.ts'
import { type Address, zeroAddress } from '../../libs/chain/hex.ts'

interface Authorized {
  readonly nonce: bigint
  readonly delegate: Address
}

interface Authority {
  /** The nonce that its own transactions tell, as moved by what counted for certain since. */
  ownNonce: bigint | null
  delegate: Address
  /** What counted though it need not have, oldest first. */
  assumed: Authorized[]
}

/** EIP-7702 from the transactions alone: an assumption stands until its account contradicts it. */
export class Delegations {
  readonly #authorities = new Map<Address, Authority>()

  has(account: Address): boolean {
    return this.#authorities.has(account)
  }

  delegating(): Address[] {
    return [...this.#authorities]
      .filter(([, one]) => (one.assumed.at(-1) ?? one).delegate !== zeroAddress)
      .map(([account]) => account)
  }

  sent({ from, nonce, authorizations }: Transaction, chainId: number): void {
    const sender = this.#authorities.get(from)
    if (sender) {
      const last = sender.assumed.at(-1)
      if (last && last.nonce < BigInt(nonce)) sender.delegate = last.delegate
      sender.assumed = []
      sender.ownNonce = BigInt(nonce) + 1n
    }
    let own = BigInt(nonce) + 1n
    for (const one of authorizations) {
      const { authority } = one
      if (authority === null || (one.chainId !== 0n && one.chainId !== BigInt(chainId))) continue
      if (authority !== from) this.#bySomebodyElse(authority, one)
      else if (one.nonce === own) {
        own += 1n
        this.#authorities.set(from, { ownNonce: own, delegate: one.delegate, assumed: [] })
      }
    }
  }

  #bySomebodyElse(account: Address, { nonce, delegate }: Authorization): void {
    const fresh: Authority = { ownNonce: null, delegate: zeroAddress, assumed: [] }
    const authority = this.#authorities.get(account) ?? fresh
    const last = authority.assumed.at(-1)
    const least = last ? last.nonce + 1n : (authority.ownNonce ?? 0n)
    const runsNoCode = authority.delegate === zeroAddress
    if (nonce < least) return
    if (!last && authority.ownNonce !== null) {
      if (nonce > least && runsNoCode) return
      if (nonce === least) Object.assign(authority, { ownNonce: nonce + 1n, delegate })
      else authority.assumed.push({ nonce, delegate })
    } else authority.assumed.push({ nonce, delegate })
    this.#authorities.set(account, authority)
  }
}
