import { position } from '../../../libs/chain/position.ts'
import {
  aBalance,
  aHash,
  aHolder,
  aLog,
  anAddress,
  anAddressState,
  anInstance,
  anNft,
  aToken,
  aTransaction,
  aTransfer,
  indexOf,
} from '../../../libs/presenters/testing/rows.ts'
import { part } from '../../../libs/tables/tables/balances.ts'
import { rateHourToken } from '../../../libs/tables/tables/tokens.ts'
import { packedTransfers } from '../../../libs/tables/tables/transaction-columns.ts'
import { side } from '../../../libs/tables/tables/transactions.ts'

const [token, owner, delegate] = [anAddress(0x71), anAddress(0xa7), anAddress(0xd1)]
/** Has too many rows to share a query. */
const rich = anAddress(0xac)
const hash = aHash(0x7a)
const version = { position: position(1), isDeleted: 0 }
const standard = indexOf('ERC-1155')

const transaction = { ...aTransaction({ hash, transfersCount: 1, to: token }), side: side.sender }
const transfer = aTransfer({ token, tokenId: 7n, form: standard, transactionHash: hash })
const firstTransfers = packedTransfers(aHash(0xb1), [transfer])
const listed = { ...transaction, address: owner, firstTransfers }
const log = aLog({ address: token, transactionHash: hash, topics: [aHash(1)] })

/** Subjects that the rows are about. */
export const linked = { token, owner, rich, hash }

/** One row for each table, by table; each names what stands in other tables. */
export const linkedRows = {
  transactions_by_address: [listed],
  transactions_by_value: [listed],
  transactions_by_fee: [{ ...listed, fee: 1n }],
  transactions: [transaction],
  transfers_by_token: [transfer],
  transfers_by_transaction: [transfer],
  logs_by_address: [log],
  logs_by_topic: [{ ...log, topic: aHash(1) }],
  logs_by_transaction: [log],
  balances_by_value: [aBalance({ token, standard, part: part.instance, tokenId: 7n })],
  balances: [aBalance({ holder: owner, token, standard })],
  token_rates: [
    { slot: 1, token, hour: 1, rate: '2.5', ...version },
    { slot: 1, token: rateHourToken, hour: 1, rate: '1', ...version },
  ],
  holders: [aHolder({ token })],
  nfts_by_owner: [anNft({ owner, token, standard })],
  token_state: [aToken({ token, standard })],
  address_state: [anAddressState({ address: owner, isContract: false, delegate })],
  instances: [anInstance({ token, owner })],
  token_market: [{ token, kind: 'icon', fact: '{}', ...version }],
  address_labels: [{ address: delegate, kind: 'ens', fact: '{}', ...version }],
  contract_abis: [{ address: token, selector: aHash(1), signature: 'event E()', ...version }],
  signatures: [{ selector: '0xa9059cbb', form: 'f()', signature: 'f()', since: 1, ...version }],
  instance_metadata: [{ token, tokenId: 7n, fact: '{}', ...version }],
  prices: [{ moment: 'now', price: '1', ...version }],
}
