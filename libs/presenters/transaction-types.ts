import type { Known } from './known.ts'
import type { TransactionRow } from './transaction-row.ts'

const blobType = 3
const setCodeType = 4

/** What a transaction is, whatever its status; always in this order. */
export function transactionTypes(row: TransactionRow, known: Known): readonly string[] {
  const { to, createdContract } = row
  const types = [
    ['contract_creation', to === null],
    ['contract_call', to !== null && row.input !== '0x' && isContract(to, known)],
    ['coin_transfer', row.value > 0n],
    ['token_transfer', row.transfersCount > 0],
    ['token_creation', createdContract !== null && known.token(createdContract) !== null],
    ['blob_transaction', row.type === blobType],
    ['set_code_transaction', row.type === setCodeType],
  ] as const
  return types.filter(([, applies]) => applies).map(([type]) => type)
}

function isContract(address: NonNullable<TransactionRow['to']>, known: Known): boolean {
  const { state } = known.address(address)
  return state !== null && (state.isContract || state.delegate !== null)
}
