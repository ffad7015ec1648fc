import { z } from 'zod'
import type { Store } from '../../libs/ports/store.ts'
import { inStoredNames } from '../../libs/tables/testing/insert-made.ts'

/** A list whose first page a naive statement can compute from the same tables. */
export interface CheckedList {
  /** A statement with `{subject:String}`; its rows are the keys of the first page, in order. */
  readonly keys: string
  /** The same key, of an item of the page. */
  readonly keyOf: (item: unknown) => string
}

const transfer = z.object({ block_number: z.int(), log_index: z.int() })
const log = z.object({ block_number: z.int(), index: z.int() })
const transaction = z.object({ hash: z.string() })
const balance = z.object({ token: z.object({ address_hash: z.string() }), value: z.string() })
const nft = z.object({ id: z.string(), token: z.object({ address_hash: z.string() }) })
const holder = z.object({ address: z.object({ hash: z.string() }), value: z.string() })

const transferKey = (item: unknown): string => {
  const { block_number: block, log_index: index } = transfer.parse(item)
  return `${block}:${index}`
}

export const logKey = (item: unknown): string => {
  const { block_number: block, index } = log.parse(item)
  return `${block}:${index}`
}

/** Sorted whole and read with FINAL, one subject at a time: nothing that the API does. */
const subject = 'unhex(substring({subject:String}, 3))'

/** Rows of a table, of a token in doubt only those that were observed since (contract 64). */
const shown = (table: string, owner: string) => `(
    SELECT * FROM (SELECT * FROM ${table} FINAL WHERE ${owner} = ${subject}) AS listed
    LEFT JOIN (SELECT token, shownSince FROM token_state FINAL) AS state USING token
    WHERE observedAt >= shownSince)`

const balanceKey = (item: unknown): string => {
  const { token, value } = balance.parse(item)
  return `${token.address_hash.toLowerCase()} ${value}`
}

const balancesOf = `SELECT '0x' || lower(hex(token)) || ' ' || toString(value)
  FROM ${shown('balances_by_value', 'holder')} ORDER BY value DESC, ordinal DESC`

export const checkedLists = {
  transactionsOfAddress: {
    keys: `SELECT '0x' || lower(hex(hash)) FROM (
        SELECT DISTINCT blockNumber, index, hash FROM transactions_by_address FINAL
        WHERE address = ${subject})
      ORDER BY blockNumber DESC, index DESC LIMIT 50`,
    keyOf: (item) => transaction.parse(item).hash.toLowerCase(),
  },
  logsOfAddress: {
    keys: `SELECT toString(blockNumber) || ':' || toString(logIndex)
      FROM logs_by_address FINAL WHERE address = ${subject}
      ORDER BY blockNumber DESC, logIndex DESC LIMIT 50`,
    keyOf: logKey,
  },
  tokensOfAddress: { keys: `${balancesOf} LIMIT 50`, keyOf: balanceKey },
  tokenBalancesOfAddress: { keys: balancesOf, keyOf: balanceKey },
  nftsOfAddress: {
    keys: `SELECT '0x' || lower(hex(token)) || ' ' || toString(tokenId)
      FROM ${shown('nfts_by_owner', 'owner')}
      ORDER BY standard, token, tokenId DESC LIMIT 50`,
    keyOf(item) {
      const { id, token } = nft.parse(item)
      return `${token.address_hash.toLowerCase()} ${id}`
    },
  },
  transfersOfTransaction: {
    keys: `SELECT toString(blockNumber) || ':' || toString(logIndex)
      FROM transfers_by_transaction FINAL WHERE transactionHash = ${subject}
      ORDER BY logIndex, batchIndex DESC LIMIT 50`,
    keyOf: transferKey,
  },
  transfersOfToken: {
    keys: `SELECT toString(blockNumber) || ':' || toString(logIndex)
      FROM transfers_by_token FINAL WHERE token = ${subject}
      ORDER BY blockNumber DESC, logIndex DESC, batchIndex DESC LIMIT 50`,
    keyOf: transferKey,
  },
  holdersOfToken: {
    keys: `SELECT '0x' || lower(hex(holder)) || ' ' || toString(value)
      FROM ${shown('holders', 'token')} ORDER BY value DESC, holder DESC LIMIT 50`,
    keyOf(item) {
      const { address, value } = holder.parse(item)
      return `${address.hash.toLowerCase()} ${value}`
    },
  },
} satisfies Readonly<Record<string, CheckedList>>

/** One list has no pages. */
const pageBody = z.union([
  z.object({ items: z.array(z.unknown()) }),
  z.array(z.unknown()).transform((items) => ({ items })),
])

/**
 * @returns how many items the page has
 * @throws if they are not those of the naive statement
 */
export async function assertFirstPage(
  store: Store,
  { keys, keyOf }: CheckedList,
  page: { readonly subject: string; readonly body: Buffer },
): Promise<number> {
  const items = pageBody.parse(JSON.parse(page.body.toString())).items.map(keyOf)
  const expected = await stringsOf(store, keys, page.subject)
  if (items.join('\n') === expected.join('\n')) return items.length
  throw new Error(
    `first page of ${page.subject}: ${items.join(', ')} instead of ${expected.join(', ')}`,
  )
}

/** The rows of a statement on plain names of tables with one column of text, in their order. */
export async function stringsOf(
  store: Store,
  keys: string,
  subject: string,
): Promise<readonly string[]> {
  const sql = `SELECT base64Encode(toJSONString(groupArray(*))) FROM (${inStoredNames(keys)})`
  const answer = await store.query(sql, { subject })
  // One string of RowBinary: its length as a varint, whose last byte is below 128, then base64.
  const begin = answer.findIndex((byte) => byte < 128) + 1
  return z
    .array(z.string())
    .parse(JSON.parse(Buffer.from(answer.subarray(begin).toString(), 'base64').toString()))
}
