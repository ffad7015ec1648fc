import { readModels } from '../../../libs/read-models/registry.ts'
import { familiesOf } from '../../../libs/topics/families.ts'
import type { Family } from './invalidation-clock.ts'

/**
 * Tables that no answer depends on directly, and the table that covers each. A page by value or fee
 * reads its rows from transactions_by_address, and logs with a topic come from logs_by_address: the
 * fold writes both rows of a subject from one message, so that the narrow table never changes
 * without the other. The same holds for balances by key and by value. Other tables are not read
 * for answers.
 */
export const coveredBy: Readonly<Record<string, string>> = {
  transactions_by_value: 'transactions_by_address',
  transactions_by_fee: 'transactions_by_address',
  logs_by_topic: 'logs_by_address',
  balances: 'balances_by_value',
}
const unread = ['blocks', 'progress']

/** The families whose changes this process follows. */
export const followedFamilies: readonly Family[] = readModels
  .filter(({ table: { name } }) => !(name in coveredBy) && !unread.includes(name))
  .flatMap(({ table: { name, group } }) =>
    familiesOf(name).map((family) => ({ name: family, group })),
  )
