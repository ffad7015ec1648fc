import { type Asset, coin, type Nfts } from './asset.ts'
import type { ExecutedTransaction } from './executed-transaction.ts'
import { type Flow, type Flows, isBurned, isMinted } from './flows.ts'
import { type NftSale, nftSalesIn } from './nft-sales.ts'
import { joined, type Reading } from './phrase.ts'

/** Collections that one sentence names. */
const collectionsMax = 3

/**
 * NFTs that the sender bought or sold: a marketplace says so, or the tokens that paid for them
 * went the opposite way between the same two addresses. A price in coins is a marketplace's word,
 * as coins come back unseen; it counts only up to what the sender gave.
 */
export function nftTradeReadings(
  { logs }: ExecutedTransaction,
  { paid, received }: Flows,
): readonly Reading[] {
  const bought = nftsOf(received)
  const sold = nftsOf(paid)
  if (bought.length === 0 && sold.length === 0) return []
  const sales = nftSalesIn(logs)
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

/** What marketplaces say all of these cost; null unless they speak of just these. */
function coinPrice(bought: readonly NftFlow[], given: bigint, sales: readonly NftSale[]) {
  const wanted = new Set(
    bought.flatMap(({ nfts }) => nfts.items.map(({ tokenId }) => `${nfts.token} ${tokenId}`)),
  )
  let total = 0n
  for (const { items, coins } of sales) {
    if (coins === null) continue
    if (items === null) {
      // A sale of something: of this, if there is nothing else that it could be of.
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
