import { decodeFunctionData, encodeAbiParameters, parseAbi } from 'viem'
import type {
  ContractAnswer,
  ContractCall,
  NodeBlock,
  NodeReader,
} from '../../../../../libs/adapters/rpc/node-reader.ts'
import {
  type Address,
  address,
  type Hash,
  type Hex,
  hash,
  hex,
  isAddress,
} from '../../../../../libs/chain/hex.ts'
import type { FetchPage } from '../../explorer/explorer.ts'

/** A chain of one transaction, as a node tells it and as Foldscan shows it. */

export const alice = address(`0x${'a1'.repeat(20)}`)
export const bob = address(`0x${'b0'.repeat(20)}`)
export const coin = address(`0x${'c0'.repeat(20)}`)
export const art = address(`0x${'d0'.repeat(20)}`)
export const items = address(`0x${'e0'.repeat(20)}`)
const zero = address(`0x${'00'.repeat(20)}`)

export const blockNumber = 5
const chainId = 31_337
const timestamp = 1_700_000_000
const blockHash = hash(`0x${'5b'.repeat(32)}`)
export const transactionHash = hash(`0x${'7a'.repeat(32)}`)

const word = (value: Address | bigint): Hash =>
  hash(`0x${(typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0')}`)

const transferTopic = hash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
const singleTopic = hash('0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62')

const logs = [
  { address: coin, topics: [transferTopic, word(alice), word(bob)], data: word(10n) },
  { address: art, topics: [transferTopic, word(zero), word(bob), word(7n)], data: hex('0x') },
  {
    address: items,
    topics: [singleTopic, word(alice), word(zero), word(bob)],
    data: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], [3n, 2n]),
  },
].map((log, logIndex) => ({
  ...{ ...log, logIndex, transactionHash, transactionIndex: 0, blockHash },
  removed: false,
}))

const none = {
  ...{ size: null, difficulty: null, totalDifficulty: null, extraData: null, nonce: null },
  ...{ mixHash: null, sha3Uncles: null, uncles: null, stateRoot: null, transactionsRoot: null },
  ...{ withdrawalsRoot: null, withdrawals: null, blobGasUsed: null, excessBlobGas: null },
  ...{ parentBeaconBlockRoot: null, requestsHash: null },
}

const header = (number: number) => ({
  number,
  hash: number === blockNumber ? blockHash : hash(`0x${number.toString(16).padStart(64, '0')}`),
  parentHash: hash(`0x${'00'.repeat(32)}`),
  timestamp,
})

const blockOf = (number: number): NodeBlock => ({
  block: {
    ...{ ...none, ...header(number), miner: alice, gasLimit: 30_000_000n, gasUsed: 50_000n },
    ...{ baseFeePerGas: 7n },
    transactions:
      number !== blockNumber
        ? []
        : [
            {
              ...{ hash: transactionHash, blockHash, blockNumber, transactionIndex: 0, type: 2 },
              ...{ from: alice, to: coin, nonce: 4, value: 0n, input: hex('0xabcdef01') },
              ...{ gas: 90_000n, gasPrice: 9n, maxFeePerGas: 12n, maxPriorityFeePerGas: 2n },
              ...{ r: null, s: null, v: null, yParity: null, blobVersionedHashes: null },
              ...{ maxFeePerBlobGas: null, sourceHash: null, mint: null, isSystemTx: null },
            },
          ],
  },
  receipts:
    number !== blockNumber
      ? []
      : [
          {
            ...{ transactionHash, transactionIndex: 0, blockHash, blockNumber, type: 2, logs },
            ...{ gasUsed: 50_000n, effectiveGasPrice: 9n, status: 1 },
            ...{ blobGasUsed: null, blobGasPrice: null },
          },
        ],
})

const functions = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address holder) view returns (uint256)',
  'function balanceOf(address holder, uint256 id) view returns (uint256)',
  'function ownerOf(uint256 id) view returns (address)',
  'function supportsInterface(bytes4 id) view returns (bool)',
])

/** Answers of the contracts by call; what is not here reverts. */
const said: Readonly<Record<string, string | bigint | number | boolean>> = {
  [`${coin} name`]: 'Coin',
  [`${coin} symbol`]: 'CN',
  [`${coin} decimals`]: 2,
  [`${coin} totalSupply`]: 100n,
  [`${coin} balanceOf ${alice}`]: 90n,
  [`${coin} balanceOf ${bob}`]: 10n,
  [`${coin} balanceOf ${zero}`]: 0n,
  [`${art} name`]: 'Art',
  [`${art} ownerOf 7`]: bob,
  [`${art} balanceOf ${bob}`]: 1n,
  [`${art} supportsInterface 0x80ac58cd`]: true,
  [`${items} balanceOf ${bob} 3`]: 2n,
}

function answerOf({ to, data }: ContractCall, more: typeof said): ContractAnswer {
  const { functionName, args = [] } = decodeFunctionData({ abi: functions, data })
  const key = [to, functionName, ...args.map((one) => String(one).toLowerCase())].join(' ')
  const result = key in more ? more[key] : said[key]
  if (result === undefined) return 'reverted'
  if (result === 'unanswered') return 'unanswered'
  return { returned: returnedBy(result) }
}

function returnedBy(result: string | bigint | number | boolean): Hex {
  if (typeof result === 'boolean') return encodeAbiParameters([{ type: 'bool' }], [result])
  if (typeof result !== 'string') {
    return encodeAbiParameters([{ type: 'uint256' }], [BigInt(result)])
  }
  return isAddress(result) ? word(result) : encodeAbiParameters([{ type: 'string' }], [result])
}

const shown = (hash: Address) => ({ hash: hash.toUpperCase().replace('0X', '0x') })
const token = {
  [coin]: {
    ...{ address_hash: coin, name: 'Coin', symbol: 'CN', decimals: '2', type: 'ERC-20' },
    ...{ holders_count: '2', total_supply: '100' },
  },
  [art]: {
    ...{ address_hash: art, name: 'Art', symbol: null, decimals: null, type: 'ERC-721' },
    ...{ holders_count: '1', total_supply: '1' },
  },
  [items]: {
    ...{ address_hash: items, name: null, symbol: null, decimals: null, type: 'ERC-1155' },
    ...{ holders_count: null, total_supply: null },
  },
}
const list = (entries: readonly unknown[]) => ({ items: entries, next_page_params: null })

const transfers = [
  { log_index: 0, from: alice, to: bob, token: token[coin], total: { value: '10' } },
  {
    ...{ log_index: 1, from: zero, to: bob, token: token[art] },
    total: { value: '1', token_id: '7', token_instance: { owner: shown(bob) } },
  },
  {
    ...{ log_index: 2, from: zero, to: bob, token: token[items] },
    total: { value: '2', token_id: '3', token_instance: { owner: null } },
  },
].map(({ from, to, ...transfer }) => ({
  ...{ ...transfer, from: shown(from), to: shown(to) },
  ...{ block_hash: blockHash, block_number: blockNumber, transaction_hash: transactionHash },
}))

const shownLogs = logs.map((log) => ({
  ...{ address: shown(log.address), block_hash: blockHash, block_number: blockNumber },
  ...{ transaction_hash: transactionHash, index: log.logIndex, data: log.data },
  topics: [...log.topics, null, null, null].slice(0, 4),
}))

const own = {
  ...{ hash: transactionHash, from: shown(alice), to: shown(coin), type: 2, value: '0' },
  ...{ raw_input: '0xabcdef01', status: 'ok' },
}
const listed = {
  ...own,
  ...{ timestamp: '2023-11-14T22:13:20.000000Z', block_number: blockNumber, position: 0 },
  ...{ nonce: 4, created_contract: null, gas_limit: 90_000, gas_used: '50000', gas_price: '9' },
  ...{ max_fee_per_gas: '12', max_priority_fee_per_gas: '2', base_fee_per_gas: '7' },
  fee: { type: 'actual', value: '450000' },
}

/** What Foldscan shows, by path. */
const pages: Readonly<Record<string, unknown>> = {
  [`/api/v2/transactions/${transactionHash}/summary`]: {
    ...{ data: own, logs_data: { items: shownLogs }, chain_id: chainId },
  },
  [`/api/v2/addresses/${alice}/transactions`]: list([listed]),
  [`/api/v2/addresses/${coin}/transactions`]: list([listed]),
  [`/api/v2/transactions/${transactionHash}/token-transfers`]: list(transfers),
  ...Object.fromEntries(
    [coin, art, items].flatMap((one, at) => [
      [`/api/v2/addresses/${one}/logs`, list([shownLogs[at]])],
      [`/api/v2/tokens/${one}/transfers`, list([transfers[at]])],
      [`/api/v2/tokens/${one}`, token[one]],
    ]),
  ),
  [`/api/v2/tokens/${coin}/holders`]: list([
    { address: shown(alice), value: '90', token_id: null },
    { address: shown(bob), value: '10', token_id: null },
  ]),
  [`/api/v2/tokens/${art}/holders`]: list([{ address: shown(bob), value: '1', token_id: null }]),
  [`/api/v2/tokens/${items}/holders`]: list([{ address: shown(bob), value: '2', token_id: '3' }]),
  [`/api/v2/addresses/${alice}/token-balances`]: [
    { token: token[coin], token_id: null, value: '90' },
  ],
  [`/api/v2/addresses/${alice}/nft`]: list([]),
  [`/api/v2/addresses/${bob}/token-balances`]: [
    { token: token[coin], token_id: null, value: '10' },
    { token: token[art], token_id: null, value: '1' },
    { token: token[items], token_id: '3', value: '2' },
  ],
  [`/api/v2/addresses/${bob}/nft`]: list([
    { id: '7', token: token[art], value: '1' },
    { id: '3', token: token[items], value: '2' },
  ]),
}

/** Changes a page before it is shown; undefined: 404. */
export type Alter = (body: string) => string | undefined

/** Foldscan with some pages altered. */
export const foldscan =
  (altered: Readonly<Record<string, Alter>> = {}, head = () => blockNumber): FetchPage =>
  async (path) => {
    const body = JSON.stringify(pages[path])
    const text = altered[path] === undefined ? body : altered[path](body)
    if (text === undefined) return { status: 404, body: {}, head: head() }
    return { status: 200, body: JSON.parse(text), head: head() }
  }

/** A node whose contracts say `more` besides. */
export function nodeOf(more: typeof said = {}, over: Partial<NodeReader> = {}): NodeReader {
  return {
    chainId,
    head: async () => blockNumber,
    header: async (number) => header(number),
    block: async (number) => blockOf(number),
    answers: async (_, calls) => calls.map((call) => answerOf(call, more)),
    close: () => {},
    ...over,
  }
}
