import { type Account, accountEntity } from '../entities/account.ts'
import {
  type Balance,
  balanceEntity,
  forgottenBalance,
  forgottenHolding,
  type Holding,
  holdingEntity,
} from '../entities/balance.ts'
import { type Chain, chainEntity, chainEntityId, newChain } from '../entities/chain.ts'
import { type EarlyTransfer, earlyTransferEntity } from '../entities/early-transfer.ts'
import { forgottenInstance, type Instance, instanceEntity } from '../entities/instance.ts'
import { type Movement, movementEntity } from '../entities/movement.ts'
import { forgottenToken, type Token, tokenEntity } from '../entities/token.ts'
import { type Listing, listingEntity, type Unlisted, unlistedEntity } from '../entities/unlisted.ts'
import type { EntityChange, Scratch, Spillable, StateReader } from '../group.ts'
import { asStored, EntityDraft, type SeenAs } from './entity-draft.ts'

/** Sums of balances, by their ids; they are no part of the state. */
export const newMovements = (): EntityDraft<Movement> =>
  new EntityDraft(movementEntity, { get: () => undefined })

/**
 * Everything that a message may change in the state group.
 *
 * What was known before `knownFrom` of the chain is forgotten as it is read, so that a hole in the
 * log costs one message nothing but that number. A revert brings back the forgotten form, as it
 * means the same; only of the message that forgets, which can be the first block, it has to bring
 * back what was stored.
 */
export class StateDraft implements Spillable {
  readonly chains: EntityDraft<Chain>
  readonly tokens: EntityDraft<Token>
  readonly balances: EntityDraft<Balance>
  readonly instances: EntityDraft<Instance>
  readonly holdings: EntityDraft<Holding>
  readonly accounts: EntityDraft<Account>
  readonly unlisted: EntityDraft<Unlisted>
  readonly listings: EntityDraft<Listing>
  readonly earlyTransfers: EntityDraft<EarlyTransfer>
  /** Of balances; they are no part of the state. */
  readonly movements: EntityDraft<Movement>
  /** Tokens whose supply in the message was returned by their contracts. */
  readonly observedSupplies = new Set<Token>()
  readonly #sequence: number

  /** @param sequence of the message. */
  constructor(state: StateReader, sequence: number) {
    this.#sequence = sequence
    this.chains = new EntityDraft(chainEntity, state)
    this.tokens = new EntityDraft(tokenEntity, state, this.#seen(forgottenToken))
    this.balances = new EntityDraft(balanceEntity, state, this.#seen(forgottenBalance))
    this.instances = new EntityDraft(instanceEntity, state, this.#seen(forgottenInstance))
    this.holdings = new EntityDraft(holdingEntity, state, this.#seen(forgottenHolding))
    this.accounts = new EntityDraft(accountEntity, state)
    this.unlisted = new EntityDraft(unlistedEntity, state)
    this.listings = new EntityDraft(listingEntity, state)
    this.earlyTransfers = new EntityDraft(earlyTransferEntity, state)
    this.movements = newMovements()
  }

  #seen<V extends { knownFrom: number }>(forgotten: (value: V) => V): SeenAs<V> {
    return (stored) => {
      const { knownFrom } = this.chain
      if (stored.knownFrom === knownFrom) return asStored(stored)
      const now = { ...forgotten(stored), knownFrom }
      return { before: knownFrom === this.#sequence ? stored : now, now }
    }
  }

  get chain(): Chain {
    return this.chains.edit(chainEntityId, newChain)
  }

  /** Nothing counts any more that was known before this message. The first thing that it does. */
  forget(): void {
    this.chain.knownFrom = this.#sequence
  }

  nextOrdinal(): number {
    const { chain } = this
    chain.ordinals += 1
    return chain.ordinals
  }

  /**
   * What a block's author gets at little gas. Tokens, accounts and the chain stay in memory, where
   * folds refer to them: each costs a call of another contract.
   */
  get #spillable(): readonly Spillable[] {
    const { instances, balances, holdings, unlisted, movements, earlyTransfers } = this
    return [instances, balances, holdings, unlisted, movements, earlyTransfers]
  }

  get held(): number {
    return this.#spillable.reduce((sum, { held }) => sum + held, 0)
  }

  async spill(scratch: Scratch): Promise<void> {
    for (const draft of this.#spillable) await draft.spill(scratch)
  }

  *changes(): Generator<EntityChange | null> {
    yield* this.chains.changes()
    yield* this.accounts.changes()
    yield* this.tokens.changes()
    yield* this.instances.changes()
    yield* this.balances.changes()
    yield* this.holdings.changes()
    yield* this.unlisted.changes()
    yield* this.listings.changes()
    yield* this.earlyTransfers.changes()
  }
}
