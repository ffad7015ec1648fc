import type {
  Entity,
  EntityChange,
  Scratch,
  ScratchValue,
  Spillable,
  StateReader,
} from '../../../libs/projections/group.ts'
import type { UndoRecord } from './undo-records.ts'

/** Spilled values read back at a time. */
const readBackMax = 500

/** Values spilled at a time, which takes some milliseconds. */
const spilledAtOnceMax = 1_000

/** First byte of a spilled value. */
const spilled = { removed: 0, restored: 1 } as const

/** Values as undo records restore them; of several records of one thing the last one counts. */
export class RestoredValues implements Spillable {
  private values = new Map<string, UndoRecord>()
  private scratch: Scratch | null = null
  private readonly entities: ReadonlyMap<number, Entity<unknown>>
  private readonly state: StateReader

  constructor(entities: ReadonlyMap<number, Entity<unknown>>, state: StateReader) {
    this.entities = entities
    this.state = state
  }

  restore(record: UndoRecord): void {
    this.values.set(nameOf(record.entity.tag, record.id), record)
  }

  get held(): number {
    return this.values.size
  }

  async spill(scratch: Scratch): Promise<void> {
    const { values } = this
    this.scratch = scratch
    this.values = new Map()
    // Ascending, as the scratch file keeps them: what is put together lies together.
    const names = [...values.keys()].sort()
    for (let at = 0; at < names.length; at += spilledAtOnceMax) {
      const some = names.slice(at, at + spilledAtOnceMax)
      await scratch.put(some.flatMap((name) => spilledValue(values.get(name)) ?? []))
    }
  }

  /** Null for a value that is the present one. */
  *changes(): Generator<EntityChange | null> {
    for (const { entity, id, before: after } of this.all()) {
      const before = this.state.get(entity, id)
      yield isSame(entity, before, after) ? null : { entity, id, before, after }
    }
  }

  private *all(): Generator<UndoRecord> {
    yield* this.values.values()
    const { scratch } = this
    if (scratch === null) return
    for (const [tag, entity] of this.entities) {
      let found = scratch.after(tag, null, readBackMax)
      for (let last = found.at(-1); last; last = found.at(-1)) {
        for (const { id, value } of found) {
          if (this.values.has(nameOf(tag, id))) continue
          const isRemoved = value[0] === spilled.removed
          yield { entity, id, before: isRemoved ? undefined : entity.decode(value.subarray(1)) }
        }
        found = scratch.after(tag, last.id, readBackMax)
      }
    }
  }
}

function spilledValue(record: UndoRecord | undefined): ScratchValue | undefined {
  if (record === undefined) return undefined
  const { entity, id, before } = record
  const { tag } = entity
  if (before === undefined) return { tag, id, value: Buffer.from([spilled.removed]) }
  return { tag, id, value: Buffer.concat([Buffer.from([spilled.restored]), entity.encode(before)]) }
}

const nameOf = (tag: number, id: string): string => `${tag} ${id}`

function isSame(entity: Entity<unknown>, left: unknown, right: unknown): boolean {
  if (left === undefined || right === undefined) return left === right
  return entity.encode(left).equals(entity.encode(right))
}
