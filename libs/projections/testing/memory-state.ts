import type { Entity, EntityChange, StateReader } from '../group.ts'

interface Stored {
  readonly entity: Entity<unknown>
  readonly id: string
  readonly bytes: Buffer
}

const keyOf = (entity: Entity<unknown>, id: string): string => `${entity.tag}:${id}`

/** State as bytes in a map: every read decodes anew, so that no fold can share a value. */
export class MemoryState implements StateReader {
  private readonly stored = new Map<string, Stored>()

  get size(): number {
    return this.stored.size
  }

  get<V>(entity: Entity<V>, id: string): V | undefined {
    const found = this.stored.get(keyOf(entity, id))
    return found && Object.freeze(entity.decode(found.bytes))
  }

  write(changes: readonly EntityChange[]): void {
    for (const { entity, id, after } of changes) {
      if (after === undefined) this.stored.delete(keyOf(entity, id))
      else this.stored.set(keyOf(entity, id), { entity, id, bytes: entity.encode(after) })
    }
  }
}

/** What takes these changes back, whatever became of their values since. */
export const takenBack = (
  state: MemoryState,
  changes: readonly EntityChange[],
): readonly EntityChange[] =>
  changes.map(({ entity, id, before }) => ({
    entity,
    id,
    before: state.get(entity, id),
    after: before,
  }))
