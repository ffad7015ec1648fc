import pLimit from 'p-limit'
import type { Store } from '../../libs/ports/store.ts'
import { insertMade } from '../../libs/tables/testing/insert-made.ts'

/** What a benchmark of reads fills the tables with. */
export interface UniformTables {
  /** Each has a sender and a recipient, uniformly distributed, and one token transfer. */
  readonly transactions: number
  readonly addresses: number
  readonly tokens: number
  /** Rows of the one busy address, and of the one busy token. */
  readonly busyRows: number
}

const rowsPerBlock = 200
const partsOfTable = 8
/** Of a statement in memory at once. */
const partRowsMax = 250_000
/** Statements at once, of one thread each. */
const statementsMax = 2

export const bytes = (length: number, text: string) =>
  `toFixedString(substring(SHA256(${text}), 1, ${length}), ${length})`
const addressOf = (index: string) => bytes(20, `'address' || toString(${index})`)
const tokenOf = (index: string) => bytes(20, `'token' || toString(${index})`)

/** Index of the address and of the token with many rows. */
export const busyIndex = 1_000_000_000

export const hash = bytes(32, `'transaction' || toString(n)`)
const blockHash = bytes(32, `'block' || toString(intDiv(n, ${rowsPerBlock}))`)
export const inBlock = `intDiv(n, ${rowsPerBlock}) AS blockNumber, n % ${rowsPerBlock} AS index`
const value = 'toUInt256(cityHash64(n, 4))'
export const gasUsed = 'toUInt256(21000 + cityHash64(n, 5) % 400000)'
export const gasPrice = 'toUInt256(1000000000 + cityHash64(n, 6) % 50000000000)'

/** Columns of a transaction but for its value, of a row with `n`, `sender` and `recipient`. */
export const details = `${blockHash} AS blockHash, 1700000000 + intDiv(n, ${rowsPerBlock}) * 12 AS timestamp,
  timestamp - 12 AS parentTimestamp, 2 AS type, n AS nonce, sender AS \`from\`, recipient AS \`to\`,
  unhex('a9059cbb') || randomString(64) AS input,
  500000 AS gasLimit, ${gasUsed} AS gasUsed, ${gasPrice} AS gasPrice, 60000000000 AS maxFeePerGas,
  1000000000 AS maxPriorityFeePerGas, 900000000 AS baseFeePerGas, toNullable(1) AS status,
  1 AS transfersCount, '[]' AS authorizations, '[]' AS actions`

/** Columns of a transfer of the same row, with its `token`. */
export const transfer = `${inBlock.replace('AS index', 'AS logIndex')}, 0 AS batchIndex, ${hash} AS transactionHash,
  ${blockHash} AS blockHash, 1700000000 + intDiv(n, ${rowsPerBlock}) * 12 AS timestamp,
  sender AS \`from\`, recipient AS \`to\`, ${value} AS value, 1 AS batchSize,
  toFixedString(unhex('a9059cbb'), 4) AS method, token AS recipient`

/** The transfer of the same row, as its transaction's row contains it (`packedTransfers`). */
export const firstTransfers = `concat(${blockHash}, token, sender, recipient,
  char(1, n % ${rowsPerBlock}, 0, 1, 1, 0, 255, 32),
  reverse(concat(reinterpretAsFixedString(${value}), ''))) AS firstTransfers`

const sides = [
  ['sender', 0],
  ['recipient', 1],
] as const

export type Selection = readonly [table: string, columns: string]

/** Columns of each table, of row n with its sender, recipient and token. */
const selections: readonly Selection[] = [
  ...sides.flatMap(([address, side]): Selection[] => [
    [
      'transactions_by_address',
      `${address} AS address, ${side} AS side, ${inBlock}, ${hash} AS hash, ${value} AS value, ${details},
       ${firstTransfers}`,
    ],
    [
      'transactions_by_value',
      `${address} AS address, ${side} AS side, ${value} AS value, ${inBlock}`,
    ],
    [
      'transactions_by_fee',
      `${address} AS address, ${side} AS side, ${gasUsed} * ${gasPrice} AS fee, ${inBlock}`,
    ],
  ]),
  ['transactions', `${hash} AS hash, ${inBlock}, ${value} AS value, ${details}`],
  ['transfers_by_token', `token AS token, ${transfer}`],
  ['transfers_by_transaction', `token AS token, ${transfer}`],
  [
    'holders',
    `token AS token, holder AS holder, toUInt256(1 + cityHash64(n, 4) % 1000000000) AS value,
     toUInt16(floor(16 * log2(toFloat64(value) + 1))) AS band`,
  ],
]

/** The tables that are always filled. */
export const uniformTables = [...new Set(selections.map(([table]) => table))]

/**
 * Columns of the other lists: the token of row n emits a log, and its recipient holds an amount of
 * the token and one NFT. A holder has one balance of a token: equal pairs have equal rows.
 */
const holding = `token AS token, 0 AS standard, toUInt64(1 + cityHash64(n, 3) % 1000000) AS ordinal,
  toUInt256(1 + cityHash64(token, recipient) % 1000000000) AS value`
const otherSelections: readonly Selection[] = [
  [
    'logs_by_address',
    `token AS address, ${inBlock.replace('AS index', 'AS logIndex')}, ${blockHash} AS blockHash,
     1700000000 + intDiv(n, ${rowsPerBlock}) * 12 AS timestamp, ${hash} AS transactionHash,
     n % ${rowsPerBlock} AS transactionIndex, token AS recipient,
     [${bytes(32, `'topic'`)}] AS topics, randomString(32) AS data`,
  ],
  ['balances', `recipient AS holder, ${holding}`],
  ['balances_by_value', `recipient AS holder, ${holding}`],
  [
    'nfts_by_owner',
    `recipient AS owner, 1 AS standard, token AS token, toUInt256(n) AS tokenId,
     toUInt256(1) AS value`,
  ],
  [
    'instances',
    `token AS token, toUInt256(n) AS tokenId, toNullable(recipient) AS owner, true AS isUnique`,
  ],
]

export interface UniformLists {
  /** Also logs, balances and NFTs, of no busy subject. */
  readonly hasOthers?: boolean
}

/** Fills the tables with as many parts as flushes and merges would leave. */
export async function fillUniformTables(
  store: Store,
  size: UniformTables,
  { hasOthers = false }: UniformLists = {},
): Promise<void> {
  const { transactions, addresses, tokens, busyRows } = size
  const uniform = `number AS n, ${addressOf(`cityHash64(n, 1) % ${addresses}`)} AS sender,
    ${addressOf(`cityHash64(n, 2) % ${addresses}`)} AS recipient,
    ${tokenOf(`cityHash64(n, 3) % ${tokens}`)} AS token, recipient AS holder`
  // To strangers: the uniform addresses keep the few rows that most addresses of a chain have, and
  // a second balance of a holder would contradict the first.
  const busy = `number + ${transactions} AS n, ${addressOf(String(busyIndex))} AS sender,
    ${addressOf(`number + ${addresses}`)} AS recipient, ${tokenOf(String(busyIndex))} AS token,
    recipient AS holder`
  const ofUniform = hasOthers ? [...selections, ...otherSelections] : selections
  for (const [rows, columns, inserted] of [
    [transactions, uniform, ofUniform],
    [busyRows, busy, selections],
  ] as const) {
    const count = Math.min(partRowsMax, Math.ceil(rows / partsOfTable))
    for (let from = 0; from < rows; from += count) {
      const source = `(SELECT ${columns} FROM numbers(${from}, ${Math.min(count, rows - from)}))`
      await insertEach(store, inserted, { source, count })
    }
  }
  const contracts = `(SELECT ${addressOf('number')} AS address FROM numbers(${Math.ceil(addresses / 10)}))`
  await insert(store, {
    table: 'address_state',
    selected: '1 AS n, address AS address, true AS isContract',
    source: contracts,
    count: addresses,
  })
  await insert(store, {
    table: 'token_state',
    selected: `1 AS n, token AS token, 'Some token' AS name, 'SOME' AS symbol, 18 AS decimals`,
    source: `(SELECT ${tokenOf('number')} AS token FROM numbers(${tokens})
      UNION ALL SELECT ${tokenOf(String(busyIndex))})`,
    count: tokens + 1,
  })
}

export interface Insert {
  readonly table: string
  readonly selected: string
  readonly source: string
  readonly count: number
}

/** The same rows into several tables. */
export async function insertEach(
  store: Store,
  selections: readonly Selection[],
  of: Pick<Insert, 'source' | 'count'>,
): Promise<void> {
  await pLimit(statementsMax).map(selections, ([table, selected]) =>
    insert(store, { ...of, table, selected }),
  )
}

/** Rows that a statement selects, as one part. */
export async function insert(
  store: Store,
  { table, selected, source, count }: Insert,
): Promise<void> {
  const columns = selected.replace(/^1 AS n, /, '')
  const versioned = `${columns}, 1 AS position, 0 AS isDeleted`
  await store.execute(`${insertMade({ table, columns: versioned, source })}
    SETTINGS async_insert = 0, max_insert_block_size = ${count}, max_threads = 1,
      min_insert_block_size_rows = ${count}, max_block_size = ${count}`)
}
