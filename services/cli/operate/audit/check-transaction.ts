import { z } from 'zod'
import type { Address } from '../../../../libs/chain/hex.ts'
import { logFindings } from './check-logs.ts'
import { type Finding, judgedValue, type PageLook } from './finding.ts'
import {
  contractCreatedBy,
  listedFields,
  logsOf,
  type NodeTransaction,
  ownFields,
  type Told,
} from './node-transaction.ts'
import { shownRequest, shownTransactions } from './shown-bodies.ts'
import { lookAt, requireBlock, type ShownPage, shownPage, type Witnesses } from './witnesses.ts'

/** Whether Foldscan has a transaction at all. @throws ExplorerError */
export async function isIndexed(
  { api }: Witnesses,
  { transaction }: NodeTransaction,
): Promise<boolean> {
  const page = await requestPage(api, transaction.hash)
  return page.body !== null
}

const requestPage = (api: Witnesses['api'], hash: string) =>
  shownPage(api, {
    path: `/api/v2/transactions/${hash}/summary`,
    query: { just_request_body: 'true' },
    schema: shownRequest,
  })

/** Logs that a summary's request has at most. */
const requestLogsMax = 50

/** A transaction by its hash, with its logs, and the chain that it is of. */
export function checkByHash(witnesses: Witnesses, told: NodeTransaction): Promise<PageLook> {
  const path = `/api/v2/transactions/${told.transaction.hash}/summary`
  return lookAt(path, async () => {
    const page = await requestPage(witnesses.api, told.transaction.hash)
    await requireBlock(witnesses, page, told.block)
    if (page.body === null) return [missingIn(page)]
    const { data, logs_data: logs, chain_id: chainId } = page.body
    const chain = { kind: 'transactions', field: 'chain_id', ...placeOf(page) } as const
    return [
      ...fieldFindings(page, data, ownFields(told)),
      { ...chain, ...judgedValue(`${chainId}`, `${witnesses.node.chainId}`) },
      ...logFindings(page, logs.items, {
        logs: logsOf(told).slice(0, requestLogsMax),
        block: told.block,
      }),
    ]
  })
}

/** An address in whose list a transaction is. */
interface Side {
  readonly address: Address
  /** Null for both sides: of a created contract. */
  readonly filter: 'from' | 'to' | null
}

export function sidesOfTransaction(told: NodeTransaction): readonly Side[] {
  const { from, to } = told.transaction
  const created = contractCreatedBy(told)
  return [
    { address: from, filter: 'from' },
    ...(to == null ? [] : [{ address: to, filter: 'to' } as const]),
    ...(created === null ? [] : [{ address: created, filter: null }]),
  ]
}

/** A transaction in the list of an address, at its place. */
export function checkListed(
  witnesses: Witnesses,
  told: NodeTransaction,
  { address, filter }: Side,
): Promise<PageLook> {
  const path = `/api/v2/addresses/${address}/transactions`
  const { block, transaction } = told
  return lookAt(path, async () => {
    const query = {
      ...(filter === null ? {} : { filter }),
      block_number: `${block.number}`,
      index: `${transaction.transactionIndex + 1}`,
      items_count: '1',
    }
    const page = await shownPage(witnesses.api, { path, query, schema: shownTransactions })
    await requireBlock(witnesses, page, block)
    const [item] = page.body?.items ?? []
    if (item?.hash !== transaction.hash) return [missingIn(page)]
    return fieldFindings(page, item, listedFields(told))
  })
}

const placeOf = ({ path, block }: ShownPage<unknown>) => ({ standard: null, path, block })

const missingIn = (page: ShownPage<unknown>): Finding => ({
  ...{ kind: 'transactions', field: 'hash', ...placeOf(page) },
  ...judgedValue(null, 'a transaction', { isPromised: true }),
})

/** All fields together are one transaction; each is a value. */
const fieldFindings = (
  page: ShownPage<unknown>,
  shown: Readonly<Record<string, unknown>>,
  told: Told,
): readonly Finding[] =>
  [...told].flatMap(([field, value]): Finding[] => {
    const text = shownText(field, shown[field])
    if (text === null && value === null) return []
    const expected = value ?? (unsaid.has(field) ? null : 'nothing')
    return [{ kind: 'transactions', field, ...placeOf(page), ...judgedValue(text, expected) }]
  })

/** Fields of which a node may say nothing; where it says nothing of others there is nothing. */
const unsaid: ReadonlySet<string> = new Set(['fee', 'gas_price', 'status'])

const withHash = z.looseObject({ hash: z.string() })
const withValue = z.looseObject({ value: z.string() })

/** A field as the node's would be written. */
function shownText(field: string, value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (field === 'timestamp') return `${Date.parse(String(value)) / 1_000}`
  const address = withHash.safeParse(value)
  if (address.success) return address.data.hash.toLowerCase()
  const amount = withValue.safeParse(value)
  return amount.success ? amount.data.value : String(value)
}
