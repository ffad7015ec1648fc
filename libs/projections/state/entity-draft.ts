import type { Entity, EntityChange, Scratch, StateReader } from '../group.ts'

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

/**
 * A stored value as the message finds it: `now` is what folds see of it, `before` is what a revert
 * of the message brings back.
 */
export type SeenAs<V> = (stored: V) => { readonly before: V; readonly now: V }

export const asStored = <V>(stored: V) => ({ before: stored, now: stored })

/** Spilled values read back at a time. */
const readBackMax = 500

/** Values spilled at a time, which takes some milliseconds. */
const spilledAtOnceMax = 1_000

/** First byte of a spilled value. */
const spilled = { removed: 0, edited: 1 } as const

/**
 * The values of one entity that a message edits; what the state holds is never touched. Those of a
 * great block do not fit into memory: they are spilled where the fold yields, when no value is in
 * use, and read back by their ids.
 */
export class EntityDraft<V extends object> {
  private edits = new Map<string, Edit<V>>()
  private scratch: Scratch | null = null
  /** Loops over all edits that are under way: they stay where they are. */
  private loops = 0
  private readonly entity: Entity<V>
  private readonly state: StateReader
  private readonly seen: SeenAs<V>

  constructor(entity: Entity<V>, state: StateReader, seen: SeenAs<V> = asStored) {
    this.entity = entity
    this.state = state
    this.seen = seen
  }

  /** As the message has left it so far. */
  read(id: string): Readonly<V> | undefined {
    const edit = this.edits.get(id) ?? this.readBack(id)
    return edit === undefined ? this.stored(id)?.now : edit.after
  }

  /** A value to write to; made by `fresh` where there was none. */
  edit(id: string, fresh: () => V): V {
    const held = this.edits.get(id)
    if (held?.after !== undefined) return held.after
    const edit = held ?? this.readBack(id)
    if (edit?.after !== undefined) {
      this.edits.set(id, edit)
      return edit.after
    }
    const stored = edit === undefined ? this.stored(id) : undefined
    const after = stored === undefined ? fresh() : { ...stored.now }
    this.edits.set(id, { before: edit === undefined ? stored?.before : edit.before, after })
    return after
  }

  remove(id: string): void {
    this.edits.set(id, { before: this.stored(id)?.before, after: undefined })
  }

  /** What the message leaves of it, whatever it did to it before. */
  replace(id: string, after: V | undefined): void {
    this.edits.set(id, { before: this.stored(id)?.before, after })
  }

  private stored(id: string): ReturnType<SeenAs<V>> | undefined {
    const value = this.state.get(this.entity, id)
    return value && this.seen(value)
  }

  /** Edits in memory that may be spilled. */
  get held(): number {
    return this.loops > 0 ? 0 : this.edits.size
  }

  /** Moves all edits out of memory. Values returned before are not written to any more. */
  async spill(scratch: Scratch): Promise<void> {
    if (this.held === 0) return
    const { tag } = this.entity
    const { edits } = this
    this.scratch = scratch
    this.edits = new Map()
    // Ascending, as the scratch file keeps them: what is put together lies together.
    const ids = [...edits.keys()].sort()
    for (let at = 0; at < ids.length; at += spilledAtOnceMax) {
      const some = ids.slice(at, at + spilledAtOnceMax)
      await scratch.put(some.map((id) => ({ tag, id, value: this.bytesOf(edits.get(id)?.after) })))
    }
  }

  private bytesOf(after: V | undefined): Buffer {
    if (after === undefined) return Buffer.from([spilled.removed])
    return Buffer.concat([Buffer.from([spilled.edited]), this.entity.encode(after)])
  }

  private readBack(id: string): Edit<V> | undefined {
    const bytes = this.scratch?.get(this.entity.tag, id)
    return bytes && this.editOf(id, bytes)
  }

  private editOf(id: string, bytes: Buffer): Edit<V> {
    const isRemoved = bytes[0] === spilled.removed
    const after = isRemoved ? undefined : this.entity.decode(bytes.subarray(1))
    return { before: this.stored(id)?.before, after }
  }

  /** All edits. None is spilled meanwhile, and none may be added. */
  private *all(): Generator<readonly [id: string, edit: Edit<V>]> {
    this.loops += 1
    try {
      yield* this.edits
      const { scratch, edits } = this
      if (scratch === null) return
      const { tag } = this.entity
      let values = scratch.after(tag, null, readBackMax)
      for (let last = values.at(-1); last; last = values.at(-1)) {
        for (const { id, value } of values) {
          // What is in memory, too, is newer there.
          if (!edits.has(id)) yield [id, this.editOf(id, value)]
        }
        values = scratch.after(tag, last.id, readBackMax)
      }
    } finally {
      this.loops -= 1
    }
  }

  /** Edited values that still exist; `before` without what a gap invalidated. */
  *touched(): Generator<readonly [id: string, edit: { before: V | undefined; after: V }]> {
    for (const [id, { before, after }] of this.all()) {
      if (after !== undefined) yield [id, { before: before && this.seen(before).now, after }]
    }
  }

  /** Null for an edit that changed nothing, as one that a message both made and removed. */
  *changes(): Generator<EntityChange<V> | null> {
    for (const [id, { before, after }] of this.all()) {
      const isAsBefore =
        before === undefined || after === undefined ? before === after : isSame(before, after)
      yield isAsBefore ? null : { entity: this.entity, id, before, after }
    }
  }
}
