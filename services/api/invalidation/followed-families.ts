import { allTables } from '../../../libs/tables/all-tables.ts'
import { familiesOf } from '../../../libs/tables/table.ts'
import type { Family } from './invalidation-clock.ts'

/** The families whose changes this process follows: those of all tables that answers depend on. */
export const followedFamilies: readonly Family[] = allTables
  .filter(({ invalidatedWith }) => invalidatedWith === undefined)
  .flatMap((table) => familiesOf(table).map((name) => ({ name, group: table.group })))
