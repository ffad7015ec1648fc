import { z } from 'zod'
import { zeroAddress } from '../../chain/hex.ts'
import { readByStandard } from '../../chain/read-form.ts'
import { standards } from '../../chain/token.ts'
import type { Row } from '../../tables/declare/table.ts'
import type { transfersByToken } from '../../tables/tables/transfers.ts'
import { methodOf } from '../abi/decoded.ts'
import { addressObject, addressSchema } from '../address.ts'
import { isoTime } from '../dates.ts'
import { type Lookups, standardAt, type TokenRecord } from '../lookups.ts'
import { decimalString, hashString, integer, named, textOrNull, timeString } from '../schemas.ts'
import { instanceObject, instanceSchema } from './instance.ts'
import { decimalsOf, tokenAt, tokenSchema } from './token.ts'

/** By its form: ids only where it has some. */
const total = z.object({
  value: decimalString.describe('In smallest units; 1 for ERC-721.'),
  decimals: decimalString.nullable().describe('Of the token; null if unknown, and for ERC-721.'),
  token_id: decimalString.nullable().optional().describe('Absent for ERC-20.'),
  token_instance: instanceSchema.nullable().optional().describe('The id; absent for ERC-20.'),
})

/** Schema of {@link transferObject}. */
export const transferSchema = named(
  'TokenTransfer',
  z
    .object({
      block_hash: hashString.describe('Hash of the block.'),
      block_number: integer.describe('Number of the block.'),
      transaction_hash: hashString.describe('Hash of the transaction.'),
      log_index: integer.describe('Index of its log in the block; items of a batch share it.'),
      from: addressSchema.describe('Sender; the zero address when minted.'),
      to: addressSchema.describe('Receiver; the zero address when burnt.'),
      token: tokenSchema.describe('The token moved.'),
      token_type: z.enum(standards).describe('Standard of the token, as in token.type.'),
      total: total.describe('What was moved.'),
      method: textOrNull.describe(
        'Function that the transaction called, else its selector; null if it called none.',
      ),
      timestamp: timeString.describe('Time of the block, UTC.'),
      type: z
        .enum(['token_transfer', 'token_minting', 'token_burning', 'token_spawning'])
        .describe('Minting from, burning to, spawning from and to the zero address.'),
    })
    .describe('A token transfer; each id of a batch is one.'),
)

/** A transfer, whichever of its two tables it was read from. */
export type TransferRow = Row<typeof transfersByToken>

/** A transfer as its token's standard reads it; `state` is null while the token is unknown. */
export function transferOf(row: TransferRow, state: TokenRecord['state'] | null): TransferRow {
  const kind = state && { standard: standardAt(state.standard), decimals: state.decimals }
  const form = standardAt(row.form)
  if (form === 'ERC-404') return row
  const read = readByStandard({ ...row, form }, kind)
  return read.form === form ? row : { ...read, form: standards.indexOf(read.form) }
}

/** A token transfer as every body shows it. */
export function transferObject(stored: TransferRow, lookups: Lookups) {
  const row = transferOf(stored, lookups.token(stored.token)?.state ?? null)
  const token = tokenAt(row.token, standardAt(row.form), lookups)
  return {
    block_hash: row.blockHash,
    block_number: row.blockNumber,
    transaction_hash: row.transactionHash,
    log_index: row.logIndex,
    from: addressObject(row.from, lookups),
    to: addressObject(row.to, lookups),
    token,
    token_type: token.type,
    total: totalOf(row, lookups),
    method: row.method && methodOf(row.method, lookups.signatures(row.recipient, row.method)),
    timestamp: isoTime(row.timestamp),
    type: kindOf(row),
  }
}

/** What the transfer did to the supply. */
function kindOf({ from, to }: Pick<TransferRow, 'from' | 'to'>) {
  if (from === zeroAddress) return to === zeroAddress ? 'token_spawning' : 'token_minting'
  return to === zeroAddress ? 'token_burning' : 'token_transfer'
}

/** By the form that it is read by; tokens of both kinds (ERC-404) show ids beside amounts. */
function totalOf(row: TransferRow, lookups: Lookups) {
  const form = standardAt(row.form)
  const token = lookups.token(row.token)
  const isHybrid = token !== null && standardAt(token.state.standard) === 'ERC-404'
  const amount = {
    value: row.value.toString(),
    decimals: form === 'ERC-721' ? null : decimalsOf(token),
  }
  if (form === 'ERC-20' && !isHybrid) return amount
  const { tokenId } = row
  return {
    ...amount,
    token_id: tokenId?.toString() ?? null,
    token_instance:
      tokenId === null
        ? null
        : instanceObject({ token: row.token, tokenId, standard: form }, lookups),
  }
}
