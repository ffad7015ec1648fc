import { formatUnits } from 'viem'
import { z } from 'zod'
import { type Action, lendingTypes, poolTypes, protocols } from '../chain/action.ts'
import { type Address, isAddress } from '../chain/hex.ts'
import { checksum } from './address.ts'
import type { Lookups } from './lookups.ts'
import { decimalsOf } from './token.ts'
import type { TransactionRow } from './transaction-row.ts'

const sum = z.object({
  token: z.custom<Address>((text) => typeof text === 'string' && isAddress(text)),
  amount: z.string().regex(/^\d+$/),
})
const stored = z.array(
  z.object({
    protocol: z.enum(protocols),
    type: z.enum([...lendingTypes, ...poolTypes]),
    sums: z.array(sum),
  }),
)

type Stored = z.output<typeof stored>[number]
type Sum = z.output<typeof sum>

/** Of a row: the text it holds, and its block. */
type ActionsRow = Pick<TransactionRow, 'actions' | 'blockNumber'>

const storedIn = ({ actions }: Pick<ActionsRow, 'actions'>): readonly Stored[] =>
  actions === '' || actions === '[]' ? [] : stored.parse(JSON.parse(actions))

/** The actions of a row, as they were folded. */
export const actionsIn = (row: Pick<ActionsRow, 'actions'>): readonly Action[] =>
  storedIn(row).map(({ protocol, type, sums }) => ({
    protocol,
    type,
    sums: sums.map(({ token, amount }) => ({ token, amount: BigInt(amount) })),
  }))

/** Tokens that the actions of a row name. */
export const actionTokens = (row: Pick<ActionsRow, 'actions'>): Address[] =>
  storedIn(row).flatMap(({ sums }) => sums.map(({ token }) => token))

/**
 * `actions` of a transaction (2.7, decision 13). Amounts are decimal numbers of whole tokens;
 * where the decimals are not known, amount and symbol are null, never smallest units (decision 67).
 * Of a swap 0 is what was paid and 1 what was received; of other actions of pools they are the
 * pool's tokens in its order.
 */
export const actionObjects = (row: ActionsRow, lookups: Lookups) =>
  storedIn(row).map(({ protocol, type, sums }) => ({
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
