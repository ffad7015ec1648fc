import { type Address, address, type Hash, hash } from '../../chain/hex.ts'
import { position } from '../../chain/position.ts'
import { type Standard, standards } from '../../chain/token.ts'
import type { Row } from '../../tables/declare/table.ts'
import type { addressState } from '../../tables/tables/addresses.ts'
import { type balancesByValue, part } from '../../tables/tables/balances.ts'
import type { holders } from '../../tables/tables/holders.ts'
import type { instances, nftsByOwner } from '../../tables/tables/instances.ts'
import type { tokenState } from '../../tables/tables/tokens.ts'
import type { ListedTransaction, transactions } from '../../tables/tables/transactions.ts'
import type { LogRow } from '../objects/log.ts'
import type { TransferRow } from '../objects/transfer.ts'

/** Rows for specs: every field has a value, and each spec says those that it is about. */

export const anAddress = (n: number): Address => address(`0x${n.toString(16).padStart(40, '0')}`)
export const aHash = (n: number): Hash => hash(`0x${n.toString(16).padStart(64, '0')}`)
export const indexOf = (standard: Standard): number => standards.indexOf(standard)

const version = { position: position(1), isDeleted: 0 }

export const aToken = (says: Partial<Row<typeof tokenState>> = {}): Row<typeof tokenState> => ({
  token: anAddress(0x70),
  standard: indexOf('ERC-20'),
  ordinal: 1,
  name: 'Gold',
  symbol: 'AU',
  decimals: 6,
  totalSupply: 1_000_000n,
  holdersCount: 2,
  isComplete: true,
  shownSince: 0,
  ...version,
  ...says,
})

export const anAddressState = (
  says: Partial<Row<typeof addressState>> = {},
): Row<typeof addressState> => ({
  address: anAddress(0xa1),
  isContract: true,
  creationTransaction: null,
  delegate: null,
  ...version,
  ...says,
})

export const anInstance = (says: Partial<Row<typeof instances>> = {}): Row<typeof instances> => ({
  token: anAddress(0x71),
  tokenId: 7n,
  owner: anAddress(0xa1),
  isUnique: true,
  observedAt: 0,
  ...version,
  ...says,
})

export const aTransfer = (says: Partial<TransferRow> = {}): TransferRow => ({
  token: anAddress(0x70),
  blockNumber: 100,
  logIndex: 5,
  batchIndex: 0,
  transactionHash: aHash(0x7a),
  blockHash: aHash(0xb1),
  timestamp: 1_700_000_000,
  from: anAddress(0xa1),
  to: anAddress(0xa2),
  form: indexOf('ERC-20'),
  tokenId: null,
  value: 1_500_000n,
  batchSize: 1,
  method: '0xa9059cbb',
  recipient: anAddress(0x70),
  ...version,
  ...says,
})

/** With the columns of both tables. */
type WholeTransaction = ListedTransaction & Row<typeof transactions>

export const aTransaction = (says: Partial<WholeTransaction> = {}): WholeTransaction => ({
  hash: aHash(0x7a),
  blockNumber: 100,
  index: 3,
  blockHash: aHash(0xb1),
  timestamp: 1_700_000_000,
  parentTimestamp: 1_699_999_988,
  type: 2,
  nonce: 9,
  from: anAddress(0xa1),
  to: anAddress(0xa2),
  createdContract: null,
  value: 0n,
  input: '0x',
  gasLimit: 100_000n,
  gasUsed: 21_000n,
  gasPrice: 12n,
  maxFeePerGas: 20n,
  maxPriorityFeePerGas: 2n,
  baseFeePerGas: 10n,
  status: 1,
  revertReason: null,
  error: null,
  transfersCount: 0,
  hasInnerError: null,
  authorizations: '[]',
  actions: '[]',
  firstTransfers: '0x',
  extras: '',
  ...version,
  ...says,
})

export const aLog = (says: Partial<LogRow> = {}): LogRow => ({
  address: anAddress(0x70),
  blockNumber: 100,
  logIndex: 5,
  blockHash: aHash(0xb1),
  timestamp: 1_700_000_000,
  transactionHash: aHash(0x7a),
  transactionIndex: 3,
  recipient: anAddress(0xcc),
  topics: [],
  data: '0x',
  ...version,
  ...says,
})

export const aBalance = (
  says: Partial<Row<typeof balancesByValue>> = {},
): Row<typeof balancesByValue> => ({
  holder: anAddress(0xa1),
  standard: indexOf('ERC-20'),
  value: 5n,
  ordinal: 12,
  token: anAddress(0x70),
  part: part.fungible,
  tokenId: 0n,
  observedAt: 0,
  ...version,
  ...says,
})

export const aHolder = (says: Partial<Row<typeof holders>> = {}): Row<typeof holders> => ({
  token: anAddress(0x70),
  band: 1,
  holder: anAddress(0xa1),
  part: part.fungible,
  tokenId: 0n,
  value: 5n,
  observedAt: 0,
  ...version,
  ...says,
})

export const anNft = (says: Partial<Row<typeof nftsByOwner>> = {}): Row<typeof nftsByOwner> => ({
  owner: anAddress(0xa1),
  standard: indexOf('ERC-721'),
  token: anAddress(0x71),
  tokenId: 7n,
  value: 1n,
  observedAt: 0,
  ...version,
  ...says,
})
