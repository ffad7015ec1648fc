import { formatUnits } from 'viem'
import type { Action } from '../../chain/action.ts'
import type { Address } from '../../chain/hex.ts'
import { DecodeBudget } from '../abi/decode-budget.ts'
import { checksum } from '../address.ts'
import type { Lookups } from '../lookups.ts'
import { decimalsOf } from './token.ts'
import type { TransactionRow } from './transaction-row.ts'

/** As the fold has written it, so that it is not checked again: a page may have thousands. */
interface Stored extends Pick<Action, 'protocol' | 'type'> {
  readonly sums: readonly Sum[]
}

interface Sum {
  readonly token: Address
  readonly amount: string
}

/** Of a row: the text it holds, and its block. */
type ActionsRow = Pick<TransactionRow, 'actions' | 'blockNumber'>

type ActionsText = Pick<ActionsRow, 'actions'>

/** By row: what its page refers to is read from it first, then what it shows. */
const parsed = new WeakMap<ActionsText, readonly Stored[]>()

function storedIn(row: ActionsText): readonly Stored[] {
  if (row.actions === '' || row.actions === '[]') return []
  const known = parsed.get(row)
  if (known !== undefined) return known
  const stored: readonly Stored[] = JSON.parse(row.actions)
  parsed.set(row, stored)
  return stored
}

/** The actions of a row, as they were folded. */
export const actionsIn = (row: ActionsText): readonly Action[] =>
  storedIn(row).map(({ protocol, type, sums }) => ({
    protocol,
    type,
    sums: sums.map(({ token, amount }) => ({ token, amount: BigInt(amount) })),
  }))

/** Tokens that the actions of a page's rows name, as many as are shown. */
export function actionTokens(rows: readonly ActionsText[]): Address[] {
  const budget = new DecodeBudget()
  return rows.flatMap((row) =>
    shownOf(row, budget).flatMap(({ sums }) => sums.map(({ token }) => token)),
  )
}

function shownOf(row: ActionsText, budget: DecodeBudget): readonly Stored[] {
  const stored = storedIn(row)
  return stored.slice(0, budget.useActions(stored.length))
}

/**
 * `actions` of a transaction (2.7, decision 13). Amounts are decimal numbers of whole tokens;
 * where the decimals are not known, amount and symbol are null, never smallest units (decision 67).
 * Of a page only so many are shown, in its order.
 * Of a swap 0 is what was paid and 1 what was received; of other actions of pools they are the
 * pool's tokens in its order.
 */
export const actionObjects = (row: ActionsRow, lookups: Lookups) =>
  shownOf(row, lookups.decodeBudget).map(({ protocol, type, sums }) => ({
    protocol,
    type,
    data: { ...shownSums({ type, sums }, lookups), block_number: row.blockNumber },
  }))

function shownSums({ type, sums }: Pick<Stored, 'type' | 'sums'>, lookups: Lookups) {
  const [first, second] = sums.map((one) => shownSum(one, lookups))
  if (first === undefined) return {}
  if (second === undefined) return first
  if (type === 'liquidation_call') {
    return {
      debt_amount: first.amount,
      debt_symbol: first.symbol,
      debt_address: first.address,
      collateral_amount: second.amount,
      collateral_symbol: second.symbol,
      collateral_address: second.address,
    }
  }
  return {
    amount0: first.amount,
    symbol0: first.symbol,
    address0: first.address,
    amount1: second.amount,
    symbol1: second.symbol,
    address1: second.address,
  }
}

function shownSum({ token, amount }: Sum, lookups: Lookups) {
  const record = lookups.token(token)
  const decimals = decimalsOf(record)
  const address = checksum(token)
  if (decimals === null) return { amount: null, symbol: null, address }
  const symbol = record?.facts.symbol ?? record?.state.symbol ?? null
  return { amount: formatUnits(BigInt(amount), Number(decimals)), symbol, address }
}
