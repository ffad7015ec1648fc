import { parseAbiParameters, toEventSelector } from 'viem'
import { addressInWord, dataWords, wordOf } from '../../chain/abi-words.ts'
import { type Address, isAddress } from '../../chain/hex.ts'
import type { ShownValue } from '../abi/abi-reader.ts'
import type { DecodeBudget } from '../abi/decode-budget.ts'
import { decodedValues } from '../abi/decoded-values.ts'
import type { LogRow } from '../objects/log.ts'
import { type Asset, coin, type Nfts } from './asset.ts'
import type { ExecutedTransaction } from './executed-transaction.ts'
import { type Flow, type Flows, isBurned, isMinted } from './flows.ts'
import { joined, type Reading } from './phrase.ts'

/** Collections that one sentence names. */
const collectionsMax = 3

/**
 * NFTs that the sender bought or sold: a marketplace logged it, or the tokens that paid for them
 * were transferred the opposite way between the same two addresses. A price in coins is known from
 * the marketplace's log alone, as internal transfers of coins are not indexed; it counts only up to
 * what the sender gave. Events are decoded within the page's budget.
 */
export function nftTradeReadings(
  { logs }: ExecutedTransaction,
  { paid, received }: Flows,
  budget: DecodeBudget,
): readonly Reading[] {
  const bought = nftsOf(received)
  const sold = nftsOf(paid)
  if (bought.length === 0 && sold.length === 0) return []
  const sales = nftSalesIn(logs, budget)
  if (bought.length > collectionsMax || sold.length > collectionsMax) return []
  if (bought.length > 0 && sold.length === 0 && bought.length === received.length) {
    if (bought.some(({ flow }) => isMinted(flow))) return []
    const price = priceOf(bought, paid, sales)
    return price === null ? [] : [trade('Bought', bought, price)]
  }
  if (sold.length === 0 || bought.length > 0 || sold.length !== tokenFlows(paid).length) return []
  if (sold.some(({ flow }) => isBurned(flow))) return []
  const [proceeds, more] = received
  if (more !== undefined) return []
  if (proceeds === undefined) return sales.length > 0 ? [trade('Sold', sold, null)] : []
  const isSale = sales.length > 0 || sold.some(({ flow }) => areOpposite(flow, proceeds))
  return isSale ? [trade('Sold', sold, proceeds.asset)] : []
}

interface NftFlow {
  readonly flow: Flow
  readonly nfts: Nfts
}

const nftsOf = (flows: readonly Flow[]): readonly NftFlow[] =>
  flows.flatMap((flow) => (flow.asset.kind === 'nfts' ? [{ flow, nfts: flow.asset }] : []))

const tokenFlows = (flows: readonly Flow[]): readonly Flow[] =>
  flows.filter(({ asset }) => asset.kind !== 'coin')

const trade = (verb: string, traded: readonly NftFlow[], price: Asset | null): Reading => ({
  verb,
  parts: [
    ...joined(traded.map(({ nfts }) => nfts)),
    ...(price === null ? [] : ['for', { asset: price, prefix: 'price_' }]),
  ],
})

/** Whether one address is on the other side of both. */
const areOpposite = (one: Flow, other: Flow): boolean =>
  one.others.some((address) => other.others.includes(address))

function priceOf(
  bought: readonly NftFlow[],
  paid: readonly Flow[],
  sales: readonly NftSale[],
): Asset | null {
  const [payment, more] = paid
  if (payment === undefined || more !== undefined) return null
  if (payment.asset.kind === 'coin') return coinPrice(bought, payment.asset.amount, sales)
  const isSale = sales.length > 0 || bought.some(({ flow }) => areOpposite(flow, payment))
  return isSale ? payment.asset : null
}

/** The total price by the logs of marketplaces; null unless they are about exactly these. */
function coinPrice(bought: readonly NftFlow[], given: bigint, sales: readonly NftSale[]) {
  const wanted = new Set(
    bought.flatMap(({ nfts }) => nfts.items.map(({ tokenId }) => `${nfts.token} ${tokenId}`)),
  )
  let total = 0n
  for (const { items, coins } of sales) {
    if (coins === null) continue
    if (items === null) {
      // A sale without items: of this one, if it is the only one.
      if (sales.length > 1 || wanted.size > 1) return null
      wanted.clear()
    }
    const isOurs =
      items === null || items.every(({ token, tokenId }) => wanted.delete(`${token} ${tokenId}`))
    if (!isOurs) return null
    total += coins
  }
  return wanted.size === 0 && total > 0n && total <= given ? coin(total) : null
}

/** A sale, decoded from the event of a marketplace. */
interface NftSale {
  /** What was sold; null if the event does not contain it. */
  readonly items: readonly { readonly token: Address; readonly tokenId: bigint }[] | null
  /** Paid by the buyer in coins, fees with it; null for a sale in tokens. */
  readonly coins: bigint | null
}

type Form = (log: LogRow, budget: DecodeBudget) => NftSale | null

/** Items of coins, and of the two standards of NFTs, as the events of Seaport number them. */
const itemType = { coin: '0', erc721: '2', erc1155: '3' } as const

const orderParameters = parseAbiParameters([
  'bytes32 orderHash, address recipient, Offered[] offer, Wanted[] consideration',
  'struct Offered { uint8 itemType; address token; uint256 identifier; uint256 amount; }',
  'struct Wanted { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }',
])

/** An order that offers NFTs for coins, or for tokens. */
function seaportSale({ data }: LogRow, budget: DecodeBudget): NftSale | null {
  const [, , offered = [], wanted = []] = decodedValues(orderParameters, data, budget) ?? []
  const items = listOf(offered).flatMap((item) => {
    const [type, token, tokenId] = textsOf(item)
    const isNft = type === itemType.erc721 || type === itemType.erc1155
    return isNft ? soldItem(token, tokenId) : []
  })
  if (items.length === 0) return { items: null, coins: null }
  let coins = 0n
  for (const item of listOf(wanted)) {
    const [type, , , amount = '0'] = textsOf(item)
    if (type !== itemType.coin) return { items, coins: null }
    coins += BigInt(amount)
  }
  return { items, coins }
}

const listOf = (value: ShownValue): readonly ShownValue[] =>
  typeof value === 'string' ? [] : value
const textsOf = (value: ShownValue): readonly string[] => listOf(value).map(String)

function soldItem(token = '', tokenId = '0') {
  const collection = token.toLowerCase()
  return isAddress(collection) ? [{ token: collection, tokenId: BigInt(tokenId) }] : []
}

const amountAt = ({ data }: LogRow, word: number): bigint => BigInt(wordOf(data, word))

/** Collection, id and price side by side; the currency of a sale in coins is the wrapped coin. */
const takerBid: Form = (log) => {
  if (log.topics.length !== 4 || dataWords(log.data) !== 7) return null
  const token = addressInWord(wordOf(log.data, 3))
  if (token === null) return null
  return { items: [{ token, tokenId: amountAt(log, 4) }], coins: amountAt(log, 6) }
}

/** Contains neither collection nor id. */
const ordersMatched: Form = (log) =>
  log.topics.length === 4 && dataWords(log.data) === 3
    ? { items: null, coins: amountAt(log, 2) }
    : null

const idBits = 168n
const collectionBits = 160n
const priceBits = 88n
const addressDigits = 40

/** Two words hold id, collection and price in their bits. @param wordsMin of the event's form */
const packed =
  (wordsMin: number): Form =>
  (log) => {
    if (dataWords(log.data) < wordsMin) return null
    const second = amountAt(log, 2)
    const token = `0x${BigInt.asUintN(160, second).toString(16).padStart(addressDigits, '0')}`
    const coins = BigInt.asUintN(Number(priceBits), second >> collectionBits)
    return { items: soldItem(token, `${amountAt(log, 1) >> idBits}`), coins }
  }

const forms: ReadonlyMap<string, Form> = new Map(
  (
    [
      [
        'OrderFulfilled(bytes32,address,address,address,(uint8,address,uint256,uint256)[],(uint8,address,uint256,uint256,address)[])',
        seaportSale,
      ],
      [
        'TakerBid(bytes32,uint256,address,address,address,address,address,uint256,uint256,uint256)',
        takerBid,
      ],
      ['OrdersMatched(bytes32,bytes32,address,address,uint256,bytes32)', ordersMatched],
      ['Execution721Packed(bytes32,uint256,uint256)', packed(3)],
      ['Execution721MakerFeePacked(bytes32,uint256,uint256,uint256)', packed(4)],
      ['Execution721TakerFeePacked(bytes32,uint256,uint256,uint256)', packed(4)],
    ] as const
  ).map(([signature, form]) => [toEventSelector(signature), form]),
)

/**
 * Sales read of one transaction; with more of them there is no summary, as a partial sum is wrong.
 */
export const salesMax = 50
/** Hex digits of one event: an order of some hundred items. */
const eventDigitsMax = 64 * 1_024

/** Sales by the events of known marketplaces; empty if there are too many. */
function nftSalesIn(logs: readonly LogRow[], budget: DecodeBudget): readonly NftSale[] {
  const events = logs.filter(({ topics: [topic = ''] }) => forms.has(topic))
  const isReadable =
    events.length <= salesMax && events.every(({ data }) => data.length < eventDigitsMax)
  if (!isReadable) return []
  return events.flatMap((log) => forms.get(log.topics[0] ?? '')?.(log, budget) ?? [])
}
