import type { Address } from '../../libs/chain/hex.ts'
import { actionTokens } from '../../libs/presenters/actions.ts'
import type { LogRow } from '../../libs/presenters/log.ts'
import { dayOf } from '../../libs/presenters/moment.ts'
import type { TransactionRow } from '../../libs/presenters/transaction-row.ts'
import type { TransferRow } from '../../libs/presenters/transfer.ts'
import { type InstanceKey, instanceKey } from '../../libs/queries/instances.ts'

/** What a page's rows name, to be looked up together before it is presented. */
export class Needs {
  readonly tokens = new Set<Address>()
  readonly addresses = new Set<Address>()
  readonly instances = new Map<string, InstanceKey>()
  /** Days whose coin price is shown. */
  readonly days = new Set<string>()

  address(address: Address | null): this {
    if (address !== null) this.addresses.add(address)
    return this
  }

  token(token: Address | null): this {
    if (token !== null) this.tokens.add(token)
    return this
  }

  instance(token: Address, tokenId: bigint): this {
    const id = { token, tokenId }
    this.instances.set(instanceKey(id), id)
    return this.token(token)
  }

  transfers(rows: readonly TransferRow[]): this {
    for (const { token, tokenId, from, to } of rows) {
      this.token(token).address(from).address(to)
      if (tokenId !== null) this.instance(token, tokenId)
    }
    return this
  }

  transactions(rows: readonly TransactionRow[]): this {
    for (const { timestamp } of rows) this.days.add(dayOf(timestamp))
    return this.parties(rows)
  }

  /** Whom transactions name, without what their prices need. */
  parties(rows: readonly TransactionRow[]): this {
    for (const { from, to, createdContract } of rows) {
      this.address(from).address(to).address(createdContract).token(createdContract)
    }
    return this
  }

  /** Tokens of what transactions did with protocols; only where their actions are shown. */
  actions(rows: readonly TransactionRow[]): this {
    for (const row of rows) for (const token of actionTokens(row)) this.token(token)
    return this
  }

  logs(rows: readonly LogRow[]): this {
    for (const { address, recipient } of rows) this.address(address).address(recipient)
    return this
  }
}
