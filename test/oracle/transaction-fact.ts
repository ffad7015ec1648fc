import type { Address } from '../../libs/chain/hex.ts'
import type { IncludedTransaction } from './chain-contents.ts'
import type { TransactionFact } from './facts.ts'

/** What a transaction's fact depends on beside itself: all of it as known at the end. */
export interface AtTheEnd {
  readonly contracts: ReadonlySet<Address>
  readonly isToken: (address: Address) => boolean
}

export const feeOf = ({ transaction }: IncludedTransaction): bigint =>
  transaction.gasPrice * transaction.gasUsed

/** Decision 41: a creation that failed made nothing. */
export const createdBy = ({ transaction }: IncludedTransaction): Address | null =>
  transaction.status === 0 ? null : transaction.createdContract

const shownTransfersMax = 10

export function transactionFact(one: IncludedTransaction, atTheEnd: AtTheEnd): TransactionFact {
  const { block, transaction, transfers } = one
  return {
    hash: transaction.hash,
    block_number: block.number,
    position: transaction.index,
    nonce: transaction.nonce,
    type: transaction.type,
    from: transaction.from,
    to: transaction.to,
    created_contract: createdBy(one),
    status: transaction.status === null ? null : transaction.status === 1 ? 'ok' : 'error',
    value: `${transaction.value}`,
    fee: `${feeOf(one)}`,
    gas_used: `${transaction.gasUsed}`,
    transaction_types: typesOf(one, atTheEnd),
    token_transfers: transfers
      .slice(0, shownTransfersMax)
      .map(({ log, tokenId, value }) => `${log.index} ${tokenId} ${value}`),
    token_transfers_overflow: transfers.length > shownTransfersMax,
  }
}

/** Decision 43, in its order. */
function typesOf(one: IncludedTransaction, { contracts, isToken }: AtTheEnd): string[] {
  const { to, input, value, type } = one.transaction
  const created = createdBy(one)
  const types: [string, boolean][] = [
    ['contract_creation', to === null],
    ['contract_call', to !== null && contracts.has(to) && input !== '0x'],
    ['coin_transfer', value > 0n],
    ['token_transfer', one.transfers.length > 0],
    ['token_creation', created !== null && isToken(created)],
    ['blob_transaction', type === 3],
    ['set_code_transaction', type === 4],
  ]
  return types.flatMap(([name, holds]) => (holds ? [name] : []))
}
