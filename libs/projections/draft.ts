import { type Account, accounts } from './entities/account.ts'
import { type Chain, chainId, chains, newChain } from './entities/chain.ts'
import { type Holding, holdings } from './entities/holding.ts'
import { type Instance, instances } from './entities/instance.ts'
import { type Pair, pairs } from './entities/pair.ts'
import { type Token, tokens } from './entities/token.ts'
import type { Entity, EntityChange, StateReader } from './state.ts'

const isSame = <V extends object>(one: V, other: V): boolean => {
  for (const name in one) if (one[name] !== other[name]) return false
  return true
}

interface Edit<V> {
  readonly before: V | undefined
  readonly after: V
}

/** The values of one entity that a message edits; what the state holds is never touched. */
export class EntityDraft<V extends object> {
  private readonly edits = new Map<string, Edit<V>>()
  private readonly entity: Entity<V>
  private readonly state: StateReader

  constructor(entity: Entity<V>, state: StateReader) {
    this.entity = entity
    this.state = state
  }

  /** As the message has left it so far. */
  read(id: string): Readonly<V> | undefined {
    return this.edits.get(id)?.after ?? this.state.get(this.entity, id)
  }

  /** A value to write to; made by `fresh` where there was none. */
  edit(id: string, fresh: () => V): V {
    const edit = this.edits.get(id)
    if (edit !== undefined) return edit.after
    const before = this.state.get(this.entity, id)
    const after = before === undefined ? fresh() : { ...before }
    this.edits.set(id, { before, after })
    return after
  }

  /** Edits everything stored under a prefix; ids are read first, so that edits cannot disturb. */
  editAll(prefix: string, change: (value: V, id: string) => void): void {
    const ids = Array.from(this.state.scan(this.entity, prefix), ([id]) => id)
    for (const id of ids) {
      const stored = this.read(id)
      if (stored !== undefined)
        change(
          this.edit(id, () => ({ ...stored })),
          id,
        )
    }
  }

  isNew(id: string): boolean {
    const edit = this.edits.get(id)
    return edit !== undefined && edit.before === undefined
  }

  touched(): Iterable<readonly [id: string, edit: Edit<V>]> {
    return this.edits
  }

  /** Edits that changed something. */
  changes(): EntityChange<V>[] {
    const changes: EntityChange<V>[] = []
    for (const [id, { before, after }] of this.edits) {
      if (before === undefined || !isSame(before, after)) {
        changes.push({ entity: this.entity, id, before, after })
      }
    }
    return changes
  }
}

/** Everything that a message may change in the state group. */
export class Draft {
  readonly chains: EntityDraft<Chain>
  readonly tokens: EntityDraft<Token>
  readonly pairs: EntityDraft<Pair>
  readonly instances: EntityDraft<Instance>
  readonly holdings: EntityDraft<Holding>
  readonly accounts: EntityDraft<Account>

  constructor(state: StateReader) {
    this.chains = new EntityDraft(chains, state)
    this.tokens = new EntityDraft(tokens, state)
    this.pairs = new EntityDraft(pairs, state)
    this.instances = new EntityDraft(instances, state)
    this.holdings = new EntityDraft(holdings, state)
    this.accounts = new EntityDraft(accounts, state)
  }

  get chain(): Chain {
    return this.chains.edit(chainId, newChain)
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
      ...this.pairs.changes(),
      ...this.holdings.changes(),
    ]
  }
}
