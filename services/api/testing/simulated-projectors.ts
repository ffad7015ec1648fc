import { type Address, address } from '../../../libs/chain/hex.ts'
import { position } from '../../../libs/chain/position.ts'
import { aToken } from '../../../libs/presenters/testing/rows.ts'
import { type GroupName, groupId } from '../../../libs/tables/declare/group-versions.ts'
import { namesOf, put, type TableRow } from '../../../libs/tables/declare/table.ts'
import { addressLabels } from '../../../libs/tables/tables/addresses.ts'
import { allTables } from '../../../libs/tables/tables/all-tables.ts'
import { prices } from '../../../libs/tables/tables/prices.ts'
import { tokenMarket, tokenState } from '../../../libs/tables/tables/tokens.ts'
import { type Announcement, bucketOf } from '../../../libs/topics/changes.ts'
import { CacheableRows } from '../../projector/loop/batch.ts'
import type { Committed } from '../../projector/loop/write-through.ts'
import type { Component, HotRows } from './simulated-tables.ts'

const familyOf = (component: Component) => component.slice(0, component.indexOf('|'))
const subjectOf = (component: Component) => component.slice(component.indexOf('|') + 1)
const tableOf = (component: Component) => familyOf(component).replace(/\.names$/, '')
function declarationOf(component: Component) {
  const found = allTables.find(({ name }) => name === tableOf(component))
  if (found === undefined) throw new Error(`no table of ${component}`)
  return found
}
export const groupOf = (component: Component): GroupName => declarationOf(component).group

/** One of each group: what it has written and not yet told. */
export class SimulatedProjectors {
  private readonly hotTables: HotRows
  private readonly positions: Record<GroupName, number> = { ledger: 0, state: 0, dimensions: 0 }
  private readonly facts: Record<string, number> = {}
  private readonly unannounced: Record<GroupName, Component[]> = {
    ledger: [],
    state: [],
    dimensions: [],
  }

  /** @param hotTables as they are when they are asked. */
  constructor(hotTables: HotRows) {
    this.hotTables = hotTables
  }

  wrote(component: Component): void {
    this.unannounced[groupOf(component)].push(component)
    if (groupOf(component) !== 'dimensions') return
    const { source } = declarationOf(component)
    this.facts[source] = (this.facts[source] ?? 0) + 1
  }

  /** What a flush tells; `messages` of the log are folded by then. */
  async flush(
    group: GroupName,
    published: Pick<Announcement, 'block' | 'time'>,
    { messages, isEverything }: { messages: number; isEverything: boolean },
  ): Promise<Committed> {
    const components = this.unannounced[group].splice(0)
    const after = position(this.positions[group])
    this.positions[group] += messages
    const hot = new CacheableRows()
    const moved: Announcement['moved'] = isEverything ? 'everything' : movedBy(components)
    const facts = group === 'dimensions' ? { ...this.facts } : null
    const at = position(this.positions[group])
    const announcement = {
      group: groupId(group),
      after,
      position: at,
      hash: null,
      facts,
      moved,
      ...published,
    }
    if (!isEverything)
      for (const component of components)
        for (const row of await this.rowsOf(component)) hot.add(row)
    return { announcement, hot }
  }

  private async rowsOf(component: Component): Promise<TableRow[]> {
    const { tokens, market, labels, prices: priced } = this.hotTables
    const subject = subjectOf(component)
    const of = (): readonly Address[] => [address(subject)]
    const one = <K, R>(found: ReadonlyMap<K, readonly R[]>): readonly R[] =>
      [...found.values()].flat()
    const none = { position: position(1), isDeleted: 1 } as const
    switch (tableOf(component)) {
      case 'token_state': {
        const [row = aToken({ token: address(subject), isDeleted: 1 })] = one(await tokens(of()))
        return [put(tokenState, row)]
      }
      case 'token_market':
        return one(await market(of())).map((row) => put(tokenMarket, row))
      case 'address_labels': {
        const gone = { address: address(subject), kind: 'label', fact: '{}', ...none }
        const [row = gone] = one(await labels(of()))
        return [put(addressLabels, row)]
      }
      case 'prices': {
        const [row = { moment: subject, price: '', ...none }] = one(await priced([subject]))
        return [put(prices, row)]
      }
      default:
        return []
    }
  }
}

/** As projectors tell it: names with the whole row, figures alone. */
function movedBy(components: readonly Component[]): Record<string, number[]> {
  const moved: Record<string, number[]> = {}
  for (const component of components) {
    const [family, table] = [familyOf(component), tableOf(component)]
    const families = family === table ? [table] : [table, namesOf(table)]
    for (const name of families) {
      moved[name] = [...(moved[name] ?? []), bucketOf(subjectOf(component))]
    }
  }
  return moved
}
