import { readableName } from '../../libs/tables/declare/ddl.ts'
import { churnedToken, equalToken, rareTopic, subject } from './deep-tables.ts'
import { checkedLists, logKey } from './naive-first-page.ts'
import type { NaiveList } from './naive-pages.ts'

const of = (table: string, column: string, hex: string) =>
  `${table} FINAL WHERE ${column} = unhex('${hex}')`
const place = `'block_number=' || toString(blockNumber) || '&index=' || toString(index)`

const byBlock: NaiveList = {
  path: `addresses/0x${subject}/transactions`,
  parameters: '',
  from: of('transactions_by_address', 'address', subject),
  orderBy: 'blockNumber DESC, index DESC',
  key: `'0x' || lower(hex(hash))`,
  keyOf: checkedLists.transactionsOfAddress.keyOf,
  cursor: place,
}

/** From the view with all columns; `final` reaches its table. */
const unpacked = (from: string): string =>
  from.replace(/^(\w+) FINAL/, (_, table: string) => readableName(table))

/** Sorted by the naive statement from the rows of the list by block, whose amounts are packed. */
function byAmount(sort: 'value' | 'fee', order: 'asc' | 'desc'): NaiveList {
  const amount = sort === 'fee' ? 'gasUsed * gasPrice' : 'value'
  return {
    ...byBlock,
    parameters: `sort=${sort}&order=${order}`,
    from: unpacked(byBlock.from),
    orderBy: `${amount} ${order}, ${byBlock.orderBy}`,
    cursor: `${place} || '&${sort}=' || toString(${amount})`,
  }
}

const logs: NaiveList = {
  path: `addresses/0x${subject}/logs`,
  parameters: '',
  from: of('logs_by_address', 'address', subject),
  orderBy: 'blockNumber DESC, logIndex DESC',
  key: `toString(blockNumber) || ':' || toString(logIndex)`,
  keyOf: logKey,
  cursor: `'block_number=' || toString(blockNumber) || '&index=' || toString(logIndex)`,
}

const holders = (token: string): NaiveList => ({
  path: `tokens/0x${token}/holders`,
  parameters: '',
  from: of('holders', 'token', token),
  orderBy: 'value DESC, holder DESC',
  key: `'0x' || lower(hex(holder)) || ' ' || toString(value)`,
  keyOf: checkedLists.holdersOfToken.keyOf,
  cursor: `'address_hash=0x' || lower(hex(holder)) || '&value=' || toString(value)`,
})

/** A list, and the one that it must not cost more than, times the limit. */
export interface DeepList {
  readonly name: string
  readonly list: NaiveList
  /** Rows of which table there are: of the subject, or equal balances. */
  readonly rows: 'all' | 'equal' | 'few'
  readonly beside?: { readonly name: string; readonly limit: number }
}

/** Of a filter, which may take one statement more. */
const unsorted = { name: 'transactions', limit: 1.5 }
/** Of keys, whose rows are then read from the list by block. */
const ofKeys = { name: 'transactions', limit: 2.5 }

export const deepLists: readonly DeepList[] = [
  { name: 'transactions', list: byBlock, rows: 'all' },
  { name: 'transactions by value', list: byAmount('value', 'desc'), rows: 'all', beside: ofKeys },
  {
    name: 'transactions by value, ascending',
    list: byAmount('value', 'asc'),
    rows: 'all',
    beside: ofKeys,
  },
  { name: 'transactions by fee', list: byAmount('fee', 'desc'), rows: 'all', beside: ofKeys },
  {
    name: 'transactions by fee, ascending',
    list: byAmount('fee', 'asc'),
    rows: 'all',
    beside: ofKeys,
  },
  {
    name: 'transactions, a filter that matches 3',
    list: { ...byBlock, parameters: 'filter=from', from: `${byBlock.from} AND side = 0` },
    rows: 'few',
    beside: unsorted,
  },
  { name: 'logs', list: logs, rows: 'all' },
  {
    name: 'logs, a topic that matches 3',
    list: {
      ...logs,
      parameters: `topic=0x${rareTopic}`,
      from: `${unpacked(logs.from)} AND has(topics, unhex('${rareTopic}'))`,
    },
    rows: 'few',
    beside: { name: 'logs', limit: 1.5 },
  },
  {
    name: 'transfers of a token',
    list: {
      ...logs,
      path: `tokens/0x${subject}/transfers`,
      from: of('transfers_by_token', 'token', subject),
      keyOf: checkedLists.transfersOfToken.keyOf,
    },
    rows: 'all',
  },
  { name: 'holders', list: holders(subject), rows: 'all' },
  { name: 'holders with equal balances', list: holders(equalToken), rows: 'equal' },
  {
    name: 'holders after trades of the largest',
    list: holders(churnedToken),
    rows: 'few',
    beside: { name: 'holders', limit: 1.2 },
  },
]
