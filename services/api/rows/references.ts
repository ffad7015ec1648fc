import type { Address, Hex } from '../../../libs/chain/hex.ts'
import { DecodeBudget } from '../../../libs/presenters/abi/decode-budget.ts'
import { dayOf } from '../../../libs/presenters/dates.ts'
import { actionTokens } from '../../../libs/presenters/objects/actions.ts'
import type { LogRow } from '../../../libs/presenters/objects/log.ts'
import {
  calledSelector,
  type TransactionRow,
} from '../../../libs/presenters/objects/transaction-row.ts'
import type { TransferRow } from '../../../libs/presenters/objects/transfer.ts'
import { type InstanceKey, instanceKey } from '../../../libs/queries/instances/instances.ts'

/** A function or an event of a contract. */
export interface ContractSelector {
  readonly contract: Address
  readonly selector: Hex
}

/** What the rows of a page refer to, looked up together before they are rendered. */
export class References {
  readonly tokens = new Set<Address>()
  readonly addresses = new Set<Address>()
  readonly instances = new Map<string, InstanceKey>()
  /** Transfers whose instances are known with their tokens. */
  readonly amounts: TransferRow[] = []
  /** Called functions and logged events of contracts, by `address selector`. */
  readonly contractSelectors = new Map<string, ContractSelector>()
  readonly selectors = new Set<Hex>()
  /** Days whose coin price is shown. */
  readonly days = new Set<string>()
  /** What may be decoded for the page, before and after the look-up together. */
  readonly decodeBudget: DecodeBudget

  constructor(decodeBudget = new DecodeBudget()) {
    this.decodeBudget = decodeBudget
  }

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

  /** A function by its first four bytes, or an event by its topic. */
  selector(contract: Address | null, selector: Hex | null): this {
    if (selector === null) return this
    this.selectors.add(selector)
    if (contract === null) return this
    this.contractSelectors.set(`${contract} ${selector}`, { contract, selector })
    return this.address(contract)
  }

  transfers(rows: readonly TransferRow[]): this {
    for (const row of rows) {
      const { token, tokenId, from, to, method, recipient } = row
      this.token(token).address(from).address(to).selector(recipient, method)
      if (tokenId !== null) this.instance(token, tokenId)
      else this.amounts.push(row)
    }
    return this
  }

  transactions(rows: readonly TransactionRow[]): this {
    for (const row of rows)
      this.selector(row.to, calledSelector(row)).days.add(dayOf(row.timestamp))
    for (const { from, to, createdContract } of rows) {
      this.address(from).address(to).address(createdContract).token(createdContract)
    }
    return this
  }

  /** Tokens in the protocol actions of transactions; only for pages that show actions. */
  actions(rows: readonly TransactionRow[]): this {
    for (const token of actionTokens(rows)) this.token(token)
    return this
  }

  logs(rows: readonly LogRow[]): this {
    for (const { address, recipient, topics } of rows) {
      this.address(address)
        .address(recipient)
        .selector(address, topics[0] ?? null)
    }
    return this
  }
}
