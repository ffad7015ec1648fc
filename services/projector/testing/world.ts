import { memoryEventLog } from '../../../libs/adapters/memory/memory-event-log.ts'
import { memoryStateStore } from '../../../libs/adapters/memory/memory-state-store.ts'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import type { BlocksGroup } from '../../../libs/projections/group.ts'
import { progress } from '../../../libs/tables/progress.ts'
import { type Announcement, announcement } from '../../../libs/topics/changes.ts'
import { decodeMessage } from '../../../libs/topics/codec.ts'
import type { Step } from '../flush.ts'
import type { ProjectorLimits } from '../limits.ts'
import { type Projector, startProjector } from '../projector.ts'
import { type AnyDeclared, MemoryStore } from './memory-store.ts'

const everything = { messagesMax: 1_000_000, bytesMax: 1_000_000_000 }

/** A log, a store and the volumes of a group's instances: what outlives a process. */
export class World {
  readonly log: EventLog = memoryEventLog()
  store: MemoryStore
  readonly group: BlocksGroup
  state: StateStore = memoryStateStore()

  constructor(group: BlocksGroup, tables: readonly AnyDeclared[]) {
    this.group = group
    this.store = new MemoryStore([...tables, progress])
  }

  async hear(wire: readonly Uint8Array[]): Promise<void> {
    await this.log.append(
      'blocks',
      wire.map((value) => ({ key: '1', value })),
    )
  }

  start(
    options: {
      limits?: Partial<ProjectorLimits>
      between?: (step: Step) => Promise<void>
      state?: StateStore
    } = {},
  ): Projector {
    const { log, store, group, state } = this
    return startProjector({ log, store, group, state, ...options })
  }

  /** Runs one life of the group to `position`. @throws what ended it before. */
  async live(position: number, options: Parameters<World['start']>[0] = {}): Promise<void> {
    const projector = this.start(options)
    try {
      await projector.waitFor(position)
    } finally {
      await projector.stop()
    }
  }

  async announcements(): Promise<Announcement[]> {
    const stored = await this.log.read('changes', 0, everything)
    return stored.map(({ value }) => {
      const decoded = decodeMessage(announcement, value)
      if ('invalid' in decoded) throw new Error(decoded.invalid)
      return decoded.message
    })
  }
}

/** Ends a life where a kill might. */
export class Killed extends Error {
  override readonly name = 'Killed'
}
