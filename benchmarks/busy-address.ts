import type { Store } from '../libs/ports/store.ts'
import { insertMade } from '../libs/tables/testing/insert-made.ts'

/** Hex of the one address that all rows belong to. */
export const busy = 'aa'.repeat(20)
/** Rows of one block. */
export const rowsPerBlock = 20

const fixed = (hex: string, bytes: number) => `toFixedString(unhex('${hex}'), ${bytes})`
const someBytes = (bytes: number, salt: string) =>
  `toFixedString(substring(SHA256('${salt}' || toString(n)), 1, ${bytes}), ${bytes})`
/** One of a thousand counterparties: as on a busy contract, the same ones come again. */
const counterparty = `toFixedString(substring(SHA256(toString(n % 1000)), 1, 20), 20)`
const place = `intDiv(n, ${rowsPerBlock}) AS blockNumber`
const inBlock = `n % ${rowsPerBlock}`

/** Half of all values are nothing: a group of one amount that no page may read whole. */
const value = 'if(n % 4 < 2, toUInt256(0), toUInt256(cityHash64(n)))'
const transaction = `
  ${someBytes(32, 'b')} AS blockHash, n AS timestamp, ${counterparty} AS \`from\`,
  ${fixed(busy, 20)} AS \`to\`, randomString(100) AS input, 60000 AS gasLimit, 50000 AS gasUsed,
  7 AS gasPrice, toNullable(1) AS status, '[]' AS authorizations,
  '[]' AS actions`

const selections: Readonly<Record<string, string>> = {
  transactions_by_address: `${fixed(busy, 20)} AS address, 1 AS side, ${place}, ${inBlock} AS index,
    ${someBytes(32, 't')} AS hash, ${value} AS value, ${transaction}`,
  transactions_by_value: `${fixed(busy, 20)} AS address, 1 AS side,
    ${value} AS value, ${place}, ${inBlock} AS index`,
  transactions: `${someBytes(32, 't')} AS hash, ${place}, ${inBlock} AS index, ${transaction}`,
  logs_by_address: `${fixed(busy, 20)} AS address, ${place}, ${inBlock} AS logIndex,
    ${someBytes(32, 't')} AS transactionHash, ${someBytes(32, 'b')} AS blockHash,
    [${someBytes(32, 'p')}] AS topics, randomString(32) AS data`,
  transfers_by_token: `${fixed(busy, 20)} AS token, ${place}, ${inBlock} AS logIndex,
    ${someBytes(32, 't')} AS transactionHash, ${someBytes(32, 'b')} AS blockHash,
    ${counterparty} AS \`from\`, ${counterparty} AS \`to\`, toUInt256(n) AS value, 1 AS batchSize`,
  holders: `${fixed(busy, 20)} AS token, toUInt256(1000000 + cityHash64(n) % 1000000000) AS value,
    toUInt16(floor(16 * log2(toFloat64(value) + 1))) AS band, ${someBytes(20, 'h')} AS holder`,
  token_state: `if(n = 0, ${fixed(busy, 20)}, ${someBytes(20, 'k')}) AS token, 'a name' AS name`,
  address_state: `${counterparty} AS address, true AS isContract`,
}

/** Fills the tables with `rows` rows of one address, in as many parts as flushes would leave. */
export async function fillBusyAddress(store: Store, rows: number): Promise<void> {
  const parts = 8
  for (const [table, selected] of Object.entries(selections)) {
    const columns = `${selected}, n + 1 AS position, 0 AS isDeleted`
    const size = rows / parts
    for (let part = 0; part < parts; part++) {
      const source = `(SELECT number + ${part * size} AS n FROM numbers(${size}))`
      await store.execute(`${insertMade({ table, columns, source })}
        SETTINGS async_insert = 0, max_insert_block_size = ${size},
          min_insert_block_size_rows = ${size}, max_block_size = ${size}`)
    }
  }
}
