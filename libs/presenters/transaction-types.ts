import type { Lookups } from './lookups.ts'
import type { TransactionRow } from './transaction-row.ts'

const blobType = 3
const setCodeType = 4

/** What a transaction is, whatever its status; always in this order. */
export function transactionTypes(row: TransactionRow, lookups: Lookups): readonly string[] {
  const { to, createdContract } = row
  const types = [
    ['contract_creation', to === null],
    ['contract_call', to !== null && row.input !== '0x' && isContract(to, lookups)],
    ['coin_transfer', row.value > 0n],
    ['token_transfer', row.transfersCount > 0],
    ['token_creation', createdContract !== null && lookups.token(createdContract) !== null],
    ['blob_transaction', row.type === blobType],
    ['set_code_transaction', row.type === setCodeType],
  ] as const
  return types.filter(([, applies]) => applies).map(([type]) => type)
}

function isContract(address: NonNullable<TransactionRow['to']>, lookups: Lookups): boolean {
  const { state } = lookups.address(address)
  return state !== null && (state.isContract || state.delegate !== null)
}
