import type { Hash } from '../../libs/chain/hex.ts'
import type { Row } from '../../libs/tables/declare/table.ts'
import type { logsByAddress } from '../../libs/tables/tables/logs.ts'
import type { transfersByToken } from '../../libs/tables/tables/transfers.ts'
import { addressOf, hashOf, type Version } from './histories.ts'
import type { WholeTransaction } from './whole-transactions.ts'

type TransactionColumns = Omit<
  WholeTransaction,
  'address' | 'side' | 'blockNumber' | 'index' | 'hash' | keyof Version
>

/** A transaction's list row but for its key; nothing in it matters here but the amounts. */
export const transactionRow = (hash: Hash, value: bigint, fee: bigint) =>
  ({
    blockHash: hash,
    timestamp: 1,
    parentTimestamp: null,
    type: 2,
    nonce: 0,
    from: addressOf(1),
    to: null,
    createdContract: null,
    value,
    input: '0x',
    gasLimit: 21_000n,
    gasUsed: 1n,
    gasPrice: fee,
    maxFeePerGas: null,
    maxPriorityFeePerGas: null,
    baseFeePerGas: null,
    status: 1,
    revertReason: null,
    error: null,
    transfersCount: 0,
    hasInnerError: null,
    authorizations: '[]',
    actions: '[]',
    firstTransfers: '0x' as const,
    extras: '',
  }) satisfies TransactionColumns

type TransferColumns = Omit<
  Row<typeof transfersByToken>,
  'token' | 'blockNumber' | 'logIndex' | 'batchIndex' | 'transactionHash' | keyof Version
>

type LogColumns = Pick<
  Row<typeof logsByAddress>,
  'blockHash' | 'timestamp' | 'transactionIndex' | 'recipient' | 'topics'
>

export const logRow: LogColumns = {
  blockHash: hashOf(1),
  timestamp: 1,
  transactionIndex: 0,
  recipient: null,
  topics: [],
}

export const transferRow = (value: bigint): TransferColumns => ({
  blockHash: hashOf(1),
  timestamp: 1,
  from: addressOf(1),
  to: addressOf(2),
  form: 0,
  tokenId: null,
  value,
  batchSize: 1,
  method: null,
  recipient: null,
})
