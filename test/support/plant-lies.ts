import { address, hash } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import type { Store } from '../../libs/ports/store.ts'
import { readRows } from '../../libs/tables/declare/read-rows.ts'
import type { Row, Table } from '../../libs/tables/declare/table.ts'
import { balances, balancesByValue } from '../../libs/tables/tables/balances.ts'
import { holders } from '../../libs/tables/tables/holders.ts'
import { instances, nftsByOwner } from '../../libs/tables/tables/instances.ts'
import { logsByAddress, logsByTransaction } from '../../libs/tables/tables/logs.ts'
import { tokenState } from '../../libs/tables/tables/tokens.ts'
import { transactions, transactionsByAddress } from '../../libs/tables/tables/transactions.ts'
import { transfersByToken, transfersByTransaction } from '../../libs/tables/tables/transfers.ts'
import { insertRows } from './insert-rows.ts'

/** What an audit has to say of a row that was falsified in ClickHouse. */
export interface Lie {
  readonly what: string
  readonly kind: string
  /** All of them are in the path or in the field of the difference. */
  readonly named: readonly string[]
}

interface Falsified<R> {
  /** Which row, of those that are current. */
  readonly where: string
  readonly orderBy?: string
  /** The row as it is to be read from now on; null: no more. */
  readonly change: (row: R) => Partial<R> | null
}

const nobody = address(`0x${'ab'.repeat(20)}`)
const erc20 = 'standard = 0'

/** Replaces a row by a newer version. @returns it as it was */
async function falsify<K extends object, C extends object>(
  store: Store,
  table: Table<K, C>,
  { where, orderBy = Object.keys(table.key)[0] ?? '', change }: Falsified<Row<Table<K, C>>>,
): Promise<Row<Table<K, C>>> {
  const columns = Object.keys(table.storedColumns).map((name) => `\`${name}\``)
  const sql =
    `SELECT ${columns.join(', ')} FROM ${table.stored} FINAL ` +
    `WHERE isDeleted = 0 AND ${where} ORDER BY ${orderBy} LIMIT 1`
  const [row] = await readRows(store, { sql }, table.decode)
  if (row === undefined) throw new Error(`no row of ${table.name} where ${where}`)
  const changed = change(row)
  await insertRows(store, table, [
    { ...row, ...changed, position: after(row), isDeleted: changed === null ? 1 : 0 },
  ])
  return row
}

const after = (row: { readonly position: number }) => position(row.position + 1)

const tokensWhere = (condition: string): string =>
  `SELECT token FROM ${tokenState.stored} WHERE ${condition}`

const bytes = (text: string): string => `unhex('${text.slice(2)}')`

/** Of a token each, so that no lie hides another. */
async function lieOfTokens(store: Store): Promise<Lie[]> {
  const lie = async (
    field: string,
    where: string,
    change: (row: Row<typeof tokenState>) => Partial<Row<typeof tokenState>>,
  ): Promise<Lie> => {
    const { token } = await falsify(store, tokenState, { where, change })
    return { what: `${field} of a token`, kind: kindOf(field), named: [token, field] }
  }
  return [
    await lie('name', `name = 'Demo Gold'`, () => ({ name: 'Demo Silver' })),
    await lie('symbol', `symbol = 'GEM'`, () => ({ symbol: 'JEM' })),
    await lie('decimals', `symbol = 'DUSD'`, () => ({ decimals: 7 })),
    await lie('total_supply', `${erc20} AND totalSupply > 0 AND name IS NULL`, (row) => ({
      totalSupply: (row.totalSupply ?? 0n) + 1n,
    })),
    await lie('holders_count', `standard = 2 AND holdersCount > 0`, (row) => ({
      holdersCount: (row.holdersCount ?? 0) + 1,
    })),
  ]
}

const kindOf = (field: string): string =>
  ({ total_supply: 'supplies', holders_count: 'counters' })[field] ?? 'words'

async function lieOfHolders(store: Store): Promise<Lie[]> {
  const amount = await falsify(store, holders, {
    where: `token IN (${tokensWhere(erc20)}) AND value > 1000`,
    change: ({ value }) => ({ value: value - 1n }),
  })
  const count = await falsify(store, holders, {
    where: `token IN (${tokensWhere("name = 'Demo Art'")})`,
    change: ({ value }) => ({ value: value + 1n }),
  })
  const gone = await falsify(store, holders, {
    where: `token IN (${tokensWhere("symbol = 'JEM'")})`,
    change: () => null,
  })
  return [
    { what: 'amount of a holder', kind: 'holders', named: [amount.token, amount.holder] },
    { what: 'ids of a holder', kind: 'holders', named: [count.token, count.holder] },
    { what: 'a holder left out', kind: 'counters', named: [gone.token, 'holders_count'] },
  ]
}

/** A balance is in two tables, of which a list takes one. */
async function lieOfBalance(
  store: Store,
  standard: number,
  change: (value: bigint) => bigint | null,
): Promise<Row<typeof balances>> {
  const changed = (value: bigint) => {
    const other = change(value)
    return other === null ? null : { value: other }
  }
  const orderBy = standard === 0 ? 'holder, token' : 'holder DESC, token DESC'
  const row = await falsify(store, balances, {
    // The oldest collections do not say how many ids somebody has.
    where:
      `standard = ${standard} AND value > 0 ` +
      (standard === 1 ? `AND token IN (${tokensWhere("name LIKE 'Demo %'")})` : ''),
    orderBy,
    change: ({ value }) => changed(value),
  })
  const before = await falsify(store, balancesByValue, {
    where:
      `holder = ${bytes(row.holder)} AND token = ${bytes(row.token)} ` +
      `AND part = ${row.part} AND tokenId = toUInt256('${row.tokenId}')`,
    change: () => null,
  })
  const value = change(before.value)
  if (value !== null) {
    await insertRows(store, balancesByValue, [
      { ...before, value, position: after(before), isDeleted: 0 },
    ])
  }
  return row
}

async function lieOfBalances(store: Store): Promise<Lie[]> {
  const amount = await lieOfBalance(store, 0, (value) => value + 1n)
  const gone = await lieOfBalance(store, 1, () => null)
  const pieces = await lieOfBalance(store, 2, (value) => value + 1n)
  const lie = (what: string, { holder, token }: Row<typeof balances>): Lie => ({
    ...{ what, kind: 'balances', named: [holder, token] },
  })
  return [
    lie('a balance', amount),
    lie('a balance left out', gone),
    { ...lie('pieces of an id', pieces), named: [pieces.holder, `id ${pieces.tokenId}`] },
  ]
}

async function lieOfOwners(store: Store): Promise<Lie[]> {
  const owned = await falsify(store, nftsByOwner, { where: 'standard = 1', change: () => null })
  const other = await falsify(store, nftsByOwner, {
    where: `standard = 1 AND owner != ${bytes(owned.owner)}`,
    orderBy: 'owner DESC',
    change: (row) => ({ tokenId: row.tokenId }),
  })
  const moved = { ...owned, owner: other.owner, position: after(owned), isDeleted: 0 }
  await insertRows(store, nftsByOwner, [moved])
  const pieces = await falsify(store, nftsByOwner, {
    where: 'standard = 2',
    change: ({ value }) => ({ value: value + 1n }),
  })
  const instance = await falsify(store, instances, {
    where: `isUnique AND owner IS NOT NULL AND token IN (${tokensWhere('standard = 1')})`,
    orderBy: 'tokenId DESC',
    change: () => ({ owner: nobody }),
  })
  return [
    { what: 'an owner', kind: 'owners', named: [other.owner, owned.token, `id ${owned.tokenId}`] },
    { what: 'an owner left out', kind: 'owners', named: [owned.owner, `id ${owned.tokenId}`] },
    { what: 'pieces of an owner', kind: 'owners', named: [pieces.owner, `id ${pieces.tokenId}`] },
    {
      what: 'the owner beside a transfer',
      kind: 'owners',
      named: [instance.token, `owner of id ${instance.tokenId}`],
    },
  ]
}

async function lieOfBlocks(store: Store): Promise<Lie[]> {
  const sent = await falsify(store, transactionsByAddress, {
    where: 'side = 0 AND blockNumber > 3',
    change: ({ value }) => ({ value: value + 1n }),
  })
  const received = await falsify(store, transactionsByAddress, {
    where: 'side = 1 AND blockNumber > 3',
    change: ({ nonce }) => ({ nonce: nonce + 1 }),
  })
  const byHash = await falsify(store, transactions, {
    where: 'blockNumber > 3',
    change: ({ type }) => ({ type: type + 1 }),
  })
  const ofAddress = await falsify(store, logsByAddress, {
    where: 'blockNumber > 3',
    change: () => ({ data: '0x01' as const }),
  })
  const ofTransaction = await falsify(store, logsByTransaction, {
    where: 'blockNumber > 3',
    change: () => ({ topics: [hash(`0x${'cd'.repeat(32)}`)] }),
  })
  const ofToken = await falsify(store, transfersByToken, {
    where: `blockNumber > 3 AND token IN (${tokensWhere(erc20)})`,
    change: ({ value }) => ({ value: value + 1n }),
  })
  const inTransaction = await falsify(store, transfersByTransaction, {
    where: 'blockNumber > 3',
    orderBy: 'transactionHash DESC',
    change: () => null,
  })
  return [
    { what: 'the value of a transaction', kind: 'transactions', named: [sent.address, 'value'] },
    { what: 'its nonce', kind: 'transactions', named: [received.address, 'nonce'] },
    { what: 'its type by hash', kind: 'transactions', named: [byHash.hash, 'type'] },
    {
      what: 'data of a log',
      kind: 'logs',
      named: [ofAddress.address, `log ${ofAddress.logIndex}`],
    },
    {
      what: 'topics of a log',
      kind: 'logs',
      named: [ofTransaction.transactionHash, `log ${ofTransaction.logIndex}`],
    },
    {
      what: 'the amount of a transfer',
      kind: 'transfers',
      named: [`/tokens/${ofToken.token}`, `${ofToken.logIndex}:`],
    },
    {
      what: 'a transfer left out',
      kind: 'transfers',
      named: [inTransaction.transactionHash, `${inTransaction.logIndex}:`],
    },
  ]
}

/** Falsifies rows of all kinds in the tables of a demo chain. */
export async function plantLies(store: Store): Promise<readonly Lie[]> {
  return [
    ...(await lieOfTokens(store)),
    ...(await lieOfHolders(store)),
    ...(await lieOfBalances(store)),
    ...(await lieOfOwners(store)),
    ...(await lieOfBlocks(store)),
  ]
}
