import type { StateStore } from '../../libs/ports/state-store.ts'
import type { Entity, EntityChange, StateReader } from '../../libs/projections/state.ts'
import { entityKey } from './state-keys.ts'

interface Slot {
  readonly entity: Entity<unknown>
  readonly id: string
  readonly value: unknown
}

/**
 * The group's state: what the volume holds, under what the messages since the last flush made
 * of it. Values are never changed in place, so a decoded one can be kept and given again.
 */
export class Entities implements StateReader {
  private readonly store: StateStore
  private readonly entitiesCachedMax: number
  private changed = new Map<string, Slot>()
  /** Handed to a commit that is under way: the volume may not hold it yet. */
  private pending: ReadonlyMap<string, Slot> = new Map()
  // Two generations do for a cache at a third of the cost of keeping an order of use.
  private recent = new Map<string, Slot>()
  private older = new Map<string, Slot>()

  constructor(store: StateStore, entitiesCachedMax: number) {
    this.store = store
    this.entitiesCachedMax = entitiesCachedMax
  }

  get<V>(entity: Entity<V>, id: string): V | undefined {
    const name = slotName(entity.tag, id)
    const slot =
      this.changed.get(name) ?? this.pending.get(name) ?? this.recent.get(name) ?? this.reused(name)
    // A slot's value has the type of its entity: the tag, which names it, is unique.
    if (slot !== undefined) return slot.value as V | undefined
    const bytes = this.store.get(entityKey(entity.tag, id))
    if (bytes === undefined) return undefined
    const value = entity.decode(bytes)
    this.keep(name, { entity: entity as Entity<unknown>, id, value })
    return value
  }

  private reused(name: string): Slot | undefined {
    const slot = this.older.get(name)
    if (slot !== undefined) this.keep(name, slot)
    return slot
  }

  private keep(name: string, slot: Slot): void {
    if (this.recent.size >= this.entitiesCachedMax / 2) {
      this.older = this.recent
      this.recent = new Map()
    }
    this.recent.set(name, slot)
  }

  apply(changes: readonly EntityChange[]): void {
    for (const { entity, id, after } of changes) {
      this.changed.set(slotName(entity.tag, id), { entity, id, value: after })
    }
  }

  /** What the volume must hold to know all that was applied. Folding may go on meanwhile. */
  beginCommit(): (readonly [key: Buffer, value: Buffer | null])[] {
    this.pending = this.changed
    this.changed = new Map()
    return [...this.pending.values()].map(({ entity, id, value }) => [
      entityKey(entity.tag, id),
      value === undefined ? null : entity.encode(value),
    ])
  }

  /** The volume holds what was pending. */
  endCommit(): void {
    for (const [name, slot] of this.pending) this.keep(name, slot)
    this.pending = new Map()
  }
}

const slotName = (tag: number, id: string): string => String.fromCharCode(tag) + id
