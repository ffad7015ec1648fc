import { createHash } from 'node:crypto'
import type { Store } from '../../libs/ports/store.ts'
import { holders } from '../../libs/tables/tables/holders.ts'
import {
  bytes,
  details,
  firstTransfers,
  gasPrice,
  gasUsed,
  hash,
  inBlock,
  insert,
  insertEach,
  type Selection,
  transfer,
} from './uniform-tables.ts'

export interface DeepTables {
  /** Of the one subject, in each list. */
  readonly rows: number
  /** Holders of one token with equal balances. */
  readonly equalHolders: number
  /** Blocks in each of which the 20 largest holders of one token trade. */
  readonly churnBlocks: number
}

const hexOf = (text: string, length: number) =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 2 * length)

/** Hex. */
export const subject = hexOf('subject', 20)
export const equalToken = hexOf('equal', 20)
export const churnedToken = hexOf('churned', 20)
export const rareTopic = hexOf('rare', 32)
/** Rows that the filters match. */
const rareRows = 3

const whales = 20
const partsOfTable = 8
/** In memory at once. */
const partRowsMax = 250_000
const fixed = (hex: string) => `toFixedString(unhex('${hex}'), ${hex.length / 2})`
/** As on a busy contract, one of a thousand counterparties. */
const counterparty = bytes(20, `'counterparty' || toString(n % 1000)`)
/** Half of all values are 0: a group of one amount that no page may read whole. */
const value = 'if(n % 4 < 2, toUInt256(0), toUInt256(cityHash64(n, 4)))'
const side = `if(isRare, 0, 1) AS side`
const band = 'toUInt16(floor(16 * log2(toFloat64(value) + 1))) AS band'
const logPlace = inBlock.replace('AS index', 'AS logIndex')
const transactionPlace = `${fixed(subject)} AS address, ${side}, ${inBlock}`

/** Columns of each table, of row n. */
const selections: readonly Selection[] = [
  [
    'transactions_by_address',
    `${transactionPlace}, ${hash} AS hash, ${value} AS value, ${details}, ${firstTransfers}`,
  ],
  ['transactions_by_value', `${transactionPlace}, ${value} AS value`],
  ['transactions_by_fee', `${transactionPlace}, ${gasUsed} * ${gasPrice} AS fee`],
  ['transfers_by_token', `token AS token, ${transfer}`],
  ['transfers_by_transaction', `token AS token, ${transfer}`],
  [
    'logs_by_address',
    `${fixed(subject)} AS address, ${logPlace}, ${hash} AS transactionHash,
     ${bytes(32, `'block'`)} AS blockHash, [topic] AS topics, randomString(32) AS data`,
  ],
  ['logs_by_topic', `${fixed(subject)} AS address, topic AS topic, ${logPlace}`],
  [
    'holders',
    `token AS token, ${bytes(20, `'holder' || toString(n)`)} AS holder,
     toUInt256(1 + cityHash64(n, 4) % 1000000000000) AS value, ${band}`,
  ],
]

/** Tables whose rows have one version: merging them drops nothing that a page has to read. */
export const listTables = selections.map(([table]) => table).filter((table) => table !== 'holders')

/** Fills the tables with one subject of so many rows, in as many parts as flushes would leave. */
export async function fillDeepTables(store: Store, size: DeepTables): Promise<void> {
  const { rows, equalHolders } = size
  const count = Math.min(partRowsMax, Math.ceil(rows / partsOfTable))
  const isRare = `n % ${Math.ceil(rows / rareRows)} = 5`
  for (let from = 0; from < rows; from += count) {
    const source = `(SELECT number AS n, ${isRare} AS isRare, ${fixed(subject)} AS token,
      if(isRare, ${fixed(subject)}, ${counterparty}) AS sender,
      if(isRare, ${counterparty}, ${fixed(subject)}) AS recipient,
      if(isRare, ${fixed(rareTopic)}, ${bytes(32, `'usual'`)}) AS topic
      FROM numbers(${from}, ${Math.min(count, rows - from)}))`
    await insertEach(store, selections, { source, count })
  }
  await insert(store, {
    table: 'holders',
    selected: `${fixed(equalToken)} AS token, ${bytes(20, `'equal' || toString(n)`)} AS holder,
      toUInt256(1000000) AS value, ${band}`,
    source: `(SELECT number AS n FROM numbers(${equalHolders}))`,
    count: equalHolders,
  })
  await churn(store, size)
  await insert(store, {
    table: 'token_state',
    selected: `token AS token, 'Some token' AS name, 'SOME' AS symbol, 18 AS decimals`,
    source: `(SELECT arrayJoin([${[subject, equalToken, churnedToken].map(fixed)}]) AS token)`,
    count: 3,
  })
}

/**
 * Every block writes a new row of each of the largest holders, and a tombstone where the old one
 * was in another band: what the fold of holders writes.
 */
async function churn(store: Store, { rows, churnBlocks }: DeepTables): Promise<void> {
  const others = Math.ceil(rows / 10)
  await insert(store, {
    table: 'holders',
    selected: `${fixed(churnedToken)} AS token, ${bytes(20, `'other' || toString(n)`)} AS holder,
      toUInt256(1 + cityHash64(n, 4) % 1000000000000) AS value, ${band}`,
    source: `(SELECT number AS n FROM numbers(${others}))`,
    count: others,
  })
  const count = Math.min(partRowsMax / whales, Math.ceil(churnBlocks / partsOfTable))
  const valueAt = (block: string) =>
    `toUInt256(1000000000000000000 + cityHash64(${block}, whale) % 1000000000000000000)`
  const bandOf = (amount: string) => band.replace('value', amount).replace(' AS band', '')
  const row = (amount: string, isDeleted: number) =>
    `(${amount}, ${bandOf(amount)}, toUInt8(${isDeleted}))`
  for (let from = 1; from <= churnBlocks; from += count) {
    const until = Math.min(from + count, churnBlocks + 1)
    await store.execute(`
      INSERT INTO ${holders.stored} (token, holder, value, band, position, isDeleted)
      SELECT ${fixed(churnedToken)}, ${bytes(20, `'whale' || toString(whale)`)},
        written.1, written.2, block, written.3
      FROM (
        SELECT number AS block, arrayJoin(range(${whales})) AS whale,
          ${valueAt('block')} AS now, ${valueAt('block - 1')} AS before,
          arrayJoin(if(${bandOf('now')} = ${bandOf('before')}, [${row('now', 0)}],
            [${row('now', 0)}, ${row('before', 1)}])) AS written
        FROM numbers(${from}, ${until - from})
      )
      SETTINGS async_insert = 0, max_threads = 1`)
  }
}
