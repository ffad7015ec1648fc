import { z } from 'zod'
import { position } from '../../libs/chain/position.ts'
import type { EventLog } from '../../libs/ports/event-log.ts'
import { memoryStateStore } from '../../libs/ports/testing/memory-state-store.ts'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import { ledger } from '../../libs/projections/ledger/ledger.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { foldedTables } from '../../libs/tables/tables/all-tables.ts'
import { balances, balancesByValue } from '../../libs/tables/tables/balances.ts'
import { holders } from '../../libs/tables/tables/holders.ts'
import { tokenRates, tokenState } from '../../libs/tables/tables/tokens.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { factFolds } from '../../services/projector/facts/fact-folds.ts'
import { RateBook } from '../../services/projector/facts/rate-book.ts'
import { type AnyDeclared, MemoryStore } from '../../services/projector/testing/memory-store.ts'
import { memoryWorld } from '../../services/projector/testing/world.ts'
import { storedMessages } from '../support/chain-in-log.ts'
import { insertRows } from '../support/insert-rows.ts'
import { foes } from './planned-traffic.ts'

/** Rows that readers see, by table, then by key. */
export type Tables = Readonly<Record<string, Readonly<Record<string, string>>>>

/** What one calm life makes of the messages that count, in memory: all of it, positions too. */
export async function folded(accepted: readonly BlocksMessage[]): Promise<Tables> {
  const wire = accepted.map(encodeMessage)
  const all = await Promise.all([ledger, stateGroup].map((group) => foldedBy(group, wire)))
  return Object.assign({}, ...all)
}

async function foldedBy(group: BlocksGroup, wire: readonly Uint8Array[]): Promise<Tables> {
  const own = foldedTables.filter((table) => table.group === group.name)
  const world = memoryWorld(group, own)
  await world.hear(wire)
  await world.live(wire.length)
  return world.store.readAll()
}

/**
 * What one fold of all facts in the log makes, without positions: an epoch of a topic is a number
 * that the projector chose, and part of each. The log of a run is too short to be compacted.
 */
export async function foldedFacts(
  eventLog: EventLog,
  own: readonly AnyDeclared[],
): Promise<Tables> {
  const store = new MemoryStore(own)
  const rates = new RateBook(memoryStateStore())
  for (const { topic, fold } of factFolds) {
    for (const { offset, value } of await storedMessages(eventLog, topic, 0)) {
      const folded = fold(value, position(offset + 1), rates)
      if ('invalid' in folded) throw new Error(`${topic} holds no fact: ${folded.invalid}`)
      for (const { table, row } of folded.message.rows) await insertRows(store, table, [row])
    }
  }
  return withoutPositions(store.readAll())
}

const row = z.looseObject({ position: z.number() })

export function withoutPositions(read: Tables): Tables {
  const stripped = (text: string) => {
    const { position: _, ...rest } = row.parse(JSON.parse(text))
    return JSON.stringify(rest)
  }
  return Object.fromEntries(
    Object.entries(read).map(([name, rows]) => [
      name,
      Object.fromEntries(Object.entries(rows).map(([key, text]) => [key, stripped(text)])),
    ]),
  )
}

/**
 * What every run of a chain has alike: no positions, as they count the messages on the way, which
 * reverts make more; no rates of hours, as those depend on the hour in which a rate was published;
 * and no amounts of tokens whose contracts lie, nor what follows from them: which pairs a sample
 * finds out about, and when, is a secret of each ingestor's life. Against one fold of its own log
 * all of it counts.
 */
export function alikeInRuns(read: Tables): Tables {
  const { [tokenRates.name]: _, ...rest } = withoutPositions(read)
  return Object.fromEntries(
    Object.entries(rest).map(([name, rows]) => {
      const alike = Object.entries(rows).flatMap(([key, text]) => {
        const left = withoutSamples(name, text)
        return left === null ? [] : [[key, left] as const]
      })
      return [name, Object.fromEntries(alike)]
    }),
  )
}

const amountTables: ReadonlySet<string> = new Set(
  [balances, balancesByValue, holders].map(({ name }) => name),
)
const ofToken = z.looseObject({ token: z.string().optional() })

/** Null for a row that only samples decide about. */
function withoutSamples(name: string, text: string): string | null {
  const stored = ofToken.parse(JSON.parse(text))
  if (!foes.some((foe) => foe === stored.token)) return text
  if (amountTables.has(name)) return null
  if (name !== tokenState.name) return text
  const { totalSupply: _, holdersCount: __, shownSince: ___, ...rest } = stored
  return JSON.stringify(rest)
}

const shownMax = 3

/** The first differences of each table that is wanted. */
export function differingRows(name: string, found: Tables, wanted: Tables): string[] {
  return Object.entries(wanted).flatMap(([table, rows]) => {
    const own = found[table] ?? {}
    const keys = new Set([...Object.keys(rows), ...Object.keys(own)])
    const differing = [...keys].filter((key) => own[key] !== rows[key])
    return differing
      .slice(0, shownMax)
      .map(
        (key) =>
          `${name}: ${table} ${key}, one of ${differing.length}: ` +
          `${own[key] ?? 'nothing'} instead of ${rows[key] ?? 'nothing'}`,
      )
  })
}
