import type { Store } from '../../libs/ports/store.ts'
import { insertMade, tableNamed } from '../../libs/tables/testing/insert-made.ts'

/** Rows of the busiest subject in each table, in as many parts; half as many lie around it. */
export const busyRows = 200_000
const parts = 4

/** Hex of the busy address and the busy transaction; others begin with another byte. */
export const busy = { address: 'aa'.repeat(20), hash: 'aa'.repeat(32) } as const

/** Hours in which 100 tokens have rates, all held by the busy subject, and in which 10,000 have. */
export const [fewRatesHour, manyRatesHour] = [71, 70]

const fixed = (hex: string, bytes: number) => `toFixedString(unhex('${hex}'), ${bytes})`
/** Two rows of three are the busy subject's. */
const subject = (bytes: number) =>
  `if(n % 3 = 2, ${fixed('bb'.repeat(bytes), bytes)}, ${fixed('aa'.repeat(bytes), bytes)})`
const someBytes = (bytes: number) =>
  `toFixedString(substring(SHA256(toString(n)), 1, ${bytes}), ${bytes})`

const transaction = `
  ${someBytes(32)} AS blockHash, n AS timestamp, ${someBytes(20)} AS \`from\`, ${someBytes(20)} AS \`to\`,
  randomString(100) AS input, 21000 AS gasLimit, 21000 AS gasUsed, 7 AS gasPrice, '[]' AS authorizations,
  '[]' AS actions`
const log = `
  ${someBytes(32)} AS blockHash, [${fixed(busy.hash, 32)}] AS topics, randomString(100) AS data`
const transfer = `
  ${someBytes(32)} AS blockHash, ${someBytes(20)} AS \`from\`, ${someBytes(20)} AS \`to\`,
  toUInt256(n) AS value, 1 AS batchSize, ${someBytes(4)} AS method, ${someBytes(20)} AS recipient`
const place = 'intDiv(n, 20) AS blockNumber'

/** A subject that many came and left, with `aliveRows` rows behind all the tombstones. */
export const left = 'cc'.repeat(20)
export const aliveRows = 5
const tombstones = 100_000
const leftBehind = `n + 1 AS position, n >= ${aliveRows} AS isDeleted`
const graves: Readonly<Record<string, string>> = {
  balances_by_value: `${fixed(left, 20)} AS holder, toUInt256(n) AS value, n AS ordinal`,
  nfts_by_owner: `${fixed(left, 20)} AS owner, 1 AS standard, toUInt256(n) AS tokenId, 1 AS value`,
  holders: `${fixed(left, 20)} AS token, toUInt256(n) AS value,
    toUInt16(floor(16 * log2(n + 1))) AS band, ${someBytes(20)} AS holder`,
}

/** What each table is filled with: `n` counts rows, interleaved over the parts. */
const fillings: Readonly<Record<string, string>> = {
  transactions_by_address: `${subject(20)} AS address, n % 2 AS side, ${place}, n % 20 AS index,
    ${someBytes(32)} AS hash, ${transaction}`,
  // Half of all values are nothing: a group of one amount that no page may read whole.
  transactions_by_value: `${subject(20)} AS address, n % 2 AS side, if(n % 4 < 2, 0, n) AS value,
    ${place}, n % 20 AS index`,
  transactions_by_fee: `${subject(20)} AS address, n % 2 AS side, 21000 * (n % 100) AS fee,
    ${place}, n % 20 AS index`,
  transactions: `${someBytes(32)} AS hash, ${place}, ${transaction}`,
  logs_by_address: `${subject(20)} AS address, ${place}, n % 20 AS logIndex,
    ${someBytes(32)} AS transactionHash, ${log}`,
  logs_by_topic: `${subject(20)} AS address, ${fixed(busy.hash, 32)} AS topic, ${place},
    n % 20 AS logIndex`,
  logs_by_transaction: `${subject(32)} AS transactionHash, n AS logIndex, ${log}`,
  transfers_by_token: `${subject(20)} AS token, ${place}, n % 20 AS logIndex, ${transfer}`,
  transfers_by_transaction: `if(n % 3 = 2, ${someBytes(32)}, ${fixed(busy.hash, 32)}) AS transactionHash, n AS logIndex,
    ${subject(20)} AS token, ${transfer}`,
  balances_by_value: `${subject(20)} AS holder, toUInt256(n % 1000) * 1000000 AS value, n AS ordinal,
    ${someBytes(20)} AS token`,
  balances: `${subject(20)} AS holder, ${someBytes(20)} AS token, toUInt256(n) AS value`,
  token_rates: `if(n % 3000 = 0, ${fewRatesHour}, if(n % 30 = 1, ${manyRatesHour}, n % 70)) AS slot,
    ${someBytes(20)} AS token, slot AS hour, '1.5' AS rate`,
  nfts_by_owner: `${subject(20)} AS owner, 1 + n % 2 AS standard, ${someBytes(20)} AS token,
    toUInt256(n) AS tokenId, 1 AS value`,
  // One balance of many equal ones to two that differ.
  holders: `${subject(20)} AS token, if(n % 9 = 0, 1000, toUInt256(1000000 + cityHash64(n) % 1000000000)) AS value,
    toUInt16(floor(16 * log2(toFloat64(value) + 1))) AS band, ${someBytes(20)} AS holder`,
  token_state: `${someBytes(20)} AS token, 'a name' AS name`,
  address_state: `${someBytes(20)} AS address, true AS isContract`,
  instances: `${someBytes(20)} AS token, toUInt256(n) AS tokenId`,
}

/** Fills all tables, with no merge to come: the parts lie side by side as after as many flushes. */
export async function fillBusy(store: Store): Promise<void> {
  const rows = (busyRows * 3) / 2
  for (const [table, filling] of Object.entries(fillings)) {
    await store.execute(`SYSTEM STOP MERGES ${tableNamed(table).stored}`)
    const columns = `${filling}, n + 1 AS position, 0 AS isDeleted`
    for (let part = 0; part < parts; part++) {
      const source = `(SELECT ${parts} * number + ${part} AS n FROM numbers(${rows / parts}))`
      await store.execute(`${insertMade({ table, columns, source })}
        SETTINGS async_insert = 0, max_insert_block_size = ${rows},
          min_insert_block_size_rows = ${rows}, max_block_size = ${rows}`)
    }
  }
}

/** A subject in a part where most granules begin with a subject of their own. */
export const crowded = 'dd'.repeat(20)
/** Above the budget of rows of each list. */
export const crowdedRows = 16_000
/** A twentieth of the granules; by default the index of such a part has the first column only. */
const ofCrowd = `if(n % 21 = 0, ${fixed(crowded, 20)}, ${someBytes(20)})`
const crowds: Readonly<Record<string, string>> = {
  transactions_by_address: `${ofCrowd} AS address, 1 AS side, ${place}, n % 20 AS index,
    ${someBytes(32)} AS hash, ${transaction}`,
  transactions_by_value: `${ofCrowd} AS address, 1 AS side, n AS value, ${place}, n % 20 AS index`,
  logs_by_address: `${ofCrowd} AS address, ${place}, n % 20 AS logIndex,
    ${someBytes(32)} AS transactionHash, ${log}`,
  transfers_by_token: `${ofCrowd} AS token, ${place}, n % 20 AS logIndex, ${transfer}`,
  nfts_by_owner: `${ofCrowd} AS owner, 1 AS standard, ${someBytes(20)} AS token,
    toUInt256(n) AS tokenId, 1 AS value`,
}

/** One part of each table, as after a merge. */
export async function fillCrowds(store: Store): Promise<void> {
  const rows = crowdedRows * 21
  const source = `(SELECT number AS n FROM numbers(${rows}))`
  for (const [table, crowd] of Object.entries(crowds)) {
    const columns = `${crowd}, n + 1 AS position, 0 AS isDeleted`
    await store.execute(`${insertMade({ table, columns, source })}
      SETTINGS async_insert = 0, max_insert_block_size = ${rows},
        min_insert_block_size_rows = ${rows}, max_block_size = ${rows}`)
  }
}

/** Tombstones in one part; each is the only version of its key, as after a merge. */
export async function fillGraves(store: Store): Promise<void> {
  const source = `(SELECT number AS n FROM numbers(${tombstones}))`
  for (const [table, grave] of Object.entries(graves)) {
    const columns = `${grave}, ${leftBehind}`
    await store.execute(`${insertMade({ table, columns, source })}
      SETTINGS async_insert = 0`)
  }
}
