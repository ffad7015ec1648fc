import { setImmediate as breathe } from 'node:timers/promises'
import type { EventLog } from '../../../libs/ports/event-log.ts'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import type { Store } from '../../../libs/ports/store.ts'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { memoryStateStore } from '../../../libs/ports/testing/memory-state-store.ts'
import type { BlocksGroup } from '../../../libs/projections/group.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { progress } from '../../../libs/tables/tables/progress.ts'
import { type Announcement, announcement } from '../../../libs/topics/changes.ts'
import { decodeMessage } from '../../../libs/topics/codec.ts'
import type { Step } from '../loop/commit.ts'
import type { ProjectorLimits } from '../loop/limits.ts'
import { type Projector, startProjector } from '../projector.ts'
import { type AnyDeclared, MemoryStore } from './memory-store.ts'

const everything = { messagesMax: 1_000_000, bytesMax: 1_000_000_000 }

/** Ends a life where a kill might. */
export class Killed extends Error {
  override readonly name = 'Killed'
}

/** One life's bounds, and where it ends before its time. */
export interface Life {
  readonly limits?: Partial<ProjectorLimits>
  /** Which step of its commits it does not get beyond. */
  readonly killedAtStep?: number
  /** Which insert it does not get to make. */
  readonly killedAtInsert?: number | undefined
  /** Turns of the event loop that a step takes: folding goes on meanwhile. */
  readonly stepTurns?: number
  readonly state?: StateStore
  readonly log?: Log
}

/** A log, a store and a group's volume: what outlives a process. */
export class World<S extends Store = Store> {
  readonly group: BlocksGroup
  readonly eventLog: EventLog
  store: S
  state: StateStore

  constructor(group: BlocksGroup, ports: { eventLog: EventLog; store: S; state: StateStore }) {
    this.group = group
    this.eventLog = ports.eventLog
    this.store = ports.store
    this.state = ports.state
  }

  async hear(wire: readonly Uint8Array[]): Promise<void> {
    await this.eventLog.append(
      'blocks',
      wire.map((value) => ({ key: '1', value })),
    )
  }

  start({ limits, killedAtStep, killedAtInsert, stepTurns = 0, state, log }: Life = {}): Projector {
    let steps = 0
    const between = async (step: Step) => {
      for (let turns = stepTurns; turns > 0; turns--) await breathe()
      if (steps++ === killedAtStep) throw new Killed(`after ${step}`)
    }
    const { eventLog, group } = this
    const store = mortal(this.store, killedAtInsert)
    return startProjector({
      eventLog,
      group,
      store,
      between,
      ...tableNames(this.store),
      state: state ?? this.state,
      limits: limits ?? {},
      ...(log === undefined ? {} : { log }),
    })
  }

  /** Runs one life to `position`, or until it is killed. @throws what else ended it. */
  async live(position: number, life: Life = {}): Promise<void> {
    const projector = this.start(life)
    try {
      await projector.waitFor(position)
    } catch (error) {
      if (!(error instanceof Killed)) throw error
    } finally {
      await projector.stop()
    }
  }

  async announcements(): Promise<Announcement[]> {
    const stored = await this.eventLog.read('changes', 0, everything)
    return stored.map(({ value }) => {
      const decoded = decodeMessage(announcement, value)
      if ('invalid' in decoded) throw new Error(decoded.invalid)
      return decoded.message
    })
  }
}

/** A world in memory. */
export const memoryWorld = (
  group: BlocksGroup,
  tables: readonly AnyDeclared[],
): World<MemoryStore> =>
  new World(group, {
    eventLog: memoryEventLog(),
    store: new MemoryStore([...tables, progress]),
    state: memoryStateStore(),
  })

function mortal(store: Store, killedAtInsert: number | undefined): Store {
  let inserts = 0
  return {
    insert(table, columns, rows) {
      if (inserts++ === killedAtInsert) throw new Killed(`before an insert into ${table}`)
      return store.insert(table, columns, rows)
    },
    query: (sql, parameters, options) => store.query(sql, parameters, options),
    execute(sql) {
      if (inserts++ === killedAtInsert) throw new Killed(`before ${sql}`)
      return store.execute(sql)
    },
    ping: (signal) => store.ping(signal),
    close: () => store.close(),
  }
}

const tableNames = (store: Store): { tables?: readonly string[] } =>
  store instanceof MemoryStore ? { tables: store.names } : {}

/** What commits write from now on, in order: inserts, appends, the volume's state and outbox. */
export function recordWrites({ store, eventLog, state }: World<MemoryStore>): readonly string[] {
  const order: string[] = []
  store.beforeInsert = (table) => order.push(`insert ${table}`)
  const commit = state.commit.bind(state)
  state.commit = async (writes) => {
    const list = [...writes]
    order.push(list.some(([, value]) => value !== null) ? 'state' : 'outbox')
    await commit(list)
  }
  const append = eventLog.append.bind(eventLog)
  eventLog.append = (topic, messages) => {
    order.push(`append ${topic}`)
    return append(topic, messages)
  }
  return order
}
