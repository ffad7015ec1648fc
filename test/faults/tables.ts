import { z } from 'zod'
import type { BlocksGroup } from '../../libs/projections/group.ts'
import { ledger } from '../../libs/projections/ledger.ts'
import { stateGroup } from '../../libs/projections/state-group.ts'
import { readModels } from '../../libs/read-models/registry.ts'
import { tokenRates } from '../../libs/tables/token-rates.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { memoryWorld } from '../../services/projector/testing/world.ts'

export const tables = readModels.map(({ table }) => table).filter(({ name }) => name !== 'progress')

/** Rows that readers see, by table, then by key. */
export type Tables = Readonly<Record<string, Readonly<Record<string, string>>>>

/** What one calm life makes of the messages that count, in memory: all of it, positions too. */
export async function folded(accepted: readonly BlocksMessage[]): Promise<Tables> {
  const wire = accepted.map(encodeMessage)
  const all = await Promise.all([ledger, stateGroup].map((group) => foldedBy(group, wire)))
  return Object.assign({}, ...all)
}

async function foldedBy(group: BlocksGroup, wire: readonly Uint8Array[]): Promise<Tables> {
  const own = tables.filter((table) => table.group === group.name)
  const world = memoryWorld(group, own)
  await world.hear(wire)
  await world.live(wire.length)
  return world.store.readAll()
}

const row = z.looseObject({ position: z.number() })

/**
 * What every run of a chain has alike: no positions, as they count the messages on the way, which
 * reverts make more; no rates of hours, as those depend on the hour in which a rate was published.
 */
export function alikeInRuns(read: Tables): Tables {
  const stripped = (text: string) => {
    const { position: _, ...rest } = row.parse(JSON.parse(text))
    return JSON.stringify(rest)
  }
  return Object.fromEntries(
    Object.entries(read)
      .filter(([name]) => name !== tokenRates.name)
      .map(([name, rows]) => [
        name,
        Object.fromEntries(Object.entries(rows).map(([key, text]) => [key, stripped(text)])),
      ]),
  )
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
