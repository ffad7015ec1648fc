import { type Account, accountEntity } from './entities/account.ts'
import {
  type Balance,
  balanceEntity,
  forgottenBalance,
  forgottenHolding,
  type Holding,
  holdingEntity,
} from './entities/balance.ts'
import { type Chain, chainEntity, chainEntityId, newChain } from './entities/chain.ts'
import { forgottenInstance, type Instance, instanceEntity } from './entities/instance.ts'
import { forgottenToken, type Token, tokenEntity } from './entities/token.ts'
import { type Listing, listingEntity, type Unlisted, unlistedEntity } from './entities/unlisted.ts'
import type { Entity, EntityChange, StateReader } from './group.ts'

const isSame = <V extends object>(one: V, other: V): boolean => {
  for (const name in one) if (one[name] !== other[name]) return false
  return true
}

interface Edit<V> {
  /** As it is stored. */
  readonly before: V | undefined
  /** Undefined: it is removed. */
  readonly after: V | undefined
}

/** The values of one entity that a message edits; what the state holds is never touched. */
class EntityDraft<V extends object> {
  private readonly edits = new Map<string, Edit<V>>()
  private readonly entity: Entity<V>
  private readonly state: StateReader
  private readonly seen: Seen<V>

  constructor(entity: Entity<V>, state: StateReader, seen: Seen<V> = asStored) {
    this.entity = entity
    this.state = state
    this.seen = seen
  }

  /** As the message has left it so far. */
  read(id: string): Readonly<V> | undefined {
    const edit = this.edits.get(id)
    return edit === undefined ? this.stored(id)?.now : edit.after
  }

  /** A value to write to; made by `fresh` where there was none. */
  edit(id: string, fresh: () => V): V {
    const edit = this.edits.get(id)
    if (edit?.after !== undefined) return edit.after
    const stored = this.stored(id)
    const after = stored === undefined ? fresh() : { ...stored.now }
    this.edits.set(id, { before: stored?.before, after })
    return after
  }

  remove(id: string): void {
    this.edits.set(id, { before: this.stored(id)?.before, after: undefined })
  }

  private stored(id: string): ReturnType<Seen<V>> | undefined {
    const value = this.state.get(this.entity, id)
    return value && this.seen(value)
  }

  /** Edited values that still exist; `before` without what a gap invalidated. */
  *touched(): Iterable<readonly [id: string, edit: { before: V | undefined; after: V }]> {
    for (const [id, { before, after }] of this.edits) {
      if (after !== undefined) yield [id, { before: before && this.seen(before).now, after }]
    }
  }

  /** Edits that changed something. */
  changes(): EntityChange<V>[] {
    const changes: EntityChange<V>[] = []
    for (const [id, { before, after }] of this.edits) {
      const isAsBefore =
        before === undefined || after === undefined ? before === after : isSame(before, after)
      if (!isAsBefore) changes.push({ entity: this.entity, id, before, after })
    }
    return changes
  }
}

/**
 * A stored value as the message finds it: `now` is what folds see of it, `before` is what a revert
 * of the message brings back.
 */
type Seen<V> = (stored: V) => { readonly before: V; readonly now: V }

const asStored = <V>(stored: V) => ({ before: stored, now: stored })

/**
 * Everything that a message may change in the state group.
 *
 * What was known before `knownFrom` of the chain is forgotten as it is read, so that a hole in the
 * log costs one message nothing but that number. A revert brings back the forgotten form, as it
 * means the same; only of the message that forgets, which can be the first block, it has to bring
 * back what was stored.
 */
export class StateDraft {
  readonly chains: EntityDraft<Chain>
  readonly tokens: EntityDraft<Token>
  readonly balances: EntityDraft<Balance>
  readonly instances: EntityDraft<Instance>
  readonly holdings: EntityDraft<Holding>
  readonly accounts: EntityDraft<Account>
  readonly unlisted: EntityDraft<Unlisted>
  readonly listings: EntityDraft<Listing>
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
  }

  #seen<V extends { knownFrom: number }>(forgotten: (value: V) => V): Seen<V> {
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

  changes(): EntityChange[] {
    return [
      ...this.chains.changes(),
      ...this.accounts.changes(),
      ...this.tokens.changes(),
      ...this.instances.changes(),
      ...this.balances.changes(),
      ...this.holdings.changes(),
      ...this.unlisted.changes(),
      ...this.listings.changes(),
    ]
  }
}
