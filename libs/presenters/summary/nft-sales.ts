import { parseAbiParameters, toEventSelector } from 'viem'
import { type Address, isAddress } from '../../chain/hex.ts'
import { addressInWord, dataWords, wordOf } from '../../chain/log-words.ts'
import { decodedValues } from '../abi/decoded-values.ts'
import type { ShownValue } from '../abi/values.ts'
import type { LogRow } from '../log.ts'

/** A sale as a marketplace tells it. */
export interface NftSale {
  /** What was sold; null where the event does not say. */
  readonly items: readonly { readonly token: Address; readonly tokenId: bigint }[] | null
  /** Paid by the buyer in coins, fees with it; null for a sale in tokens. */
  readonly coins: bigint | null
}

type Form = (log: LogRow) => NftSale | null

/** Items of coins, and of the two standards of NFTs, as the events of Seaport number them. */
const itemType = { coin: '0', erc721: '2', erc1155: '3' } as const

const orderParameters = parseAbiParameters([
  'bytes32 orderHash, address recipient, Offered[] offer, Wanted[] consideration',
  'struct Offered { uint8 itemType; address token; uint256 identifier; uint256 amount; }',
  'struct Wanted { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }',
])

/** An order that offers NFTs for coins, or for tokens. */
function seaportSale({ data }: LogRow): NftSale | null {
  const [, , offered = [], wanted = []] = decodedValues(orderParameters, data) ?? []
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

/** Tells neither collection nor id. */
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

/** Sales read of one transaction; of more nothing is told, as a sum of some would be wrong. */
export const salesMax = 50
/** Hex digits of one event: an order of some hundred items. */
const eventDigitsMax = 64 * 1_024

/** What marketplaces that are known by their events say of sales; none if there are too many. */
export function nftSalesIn(logs: readonly LogRow[]): readonly NftSale[] {
  const told = logs.filter(({ topics: [topic = ''] }) => forms.has(topic))
  const isReadable =
    told.length <= salesMax && told.every(({ data }) => data.length < eventDigitsMax)
  return isReadable ? told.flatMap((log) => forms.get(log.topics[0] ?? '')?.(log) ?? []) : []
}
