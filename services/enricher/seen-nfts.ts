import { dataWords, eventTopic, wordOf } from '../../libs/chain/abi-words.ts'
import type { Block, TransactionLog } from '../../libs/chain/block.ts'
import type { Address } from '../../libs/chain/hex.ts'
import type { UriFunction } from '../../libs/ports/token-uris.ts'
import { BlockTransfers } from '../../libs/projections/ledger/transfers.ts'

/** An NFT by its contract and id. */
export interface NftKey {
  readonly token: Address
  readonly tokenId: bigint
}

/** Somebody has it or had it. */
export interface NftSeen extends NftKey {
  readonly kind: 'seen'
  readonly function: UriFunction
}

/** Its contract says that the metadata of these ids has changed, both ends included. */
export interface ChangedNfts {
  readonly kind: 'changed'
  readonly token: Address
  readonly from: bigint
  readonly to: bigint
  /** Of the block, in seconds since 1970. */
  readonly time: number
}

export type SeenNft = NftSeen | ChangedNfts

const changedOne = eventTopic('MetadataUpdate(uint256)')
const changedRange = eventTopic('BatchMetadataUpdate(uint256,uint256)')
const changedUri = eventTopic('URI(string,uint256)')

/** What a block says of NFTs, in its order; null is a place to do other work. */
export function* seenNfts(block: Block): Generator<SeenNft | null> {
  const transfers = yield* BlockTransfers.paced(block, null)
  for (const { logs } of block.transactions) {
    for (const log of logs) {
      for (const transfer of transfers.pacedOfLog(log)) {
        if (transfer === null || transfer.tokenId === null) yield null
        else {
          const { token, tokenId, form } = transfer
          yield { kind: 'seen', token, tokenId, function: form === 'ERC-1155' ? 'uri' : 'tokenURI' }
        }
      }
      const change = changeOf(log)
      yield change === null ? null : { kind: 'changed', ...change, time: block.timestamp }
    }
  }
}

type Change = Pick<ChangedNfts, 'token' | 'from' | 'to'>

function changeOf({ address: token, topics, data }: TransactionLog): Change | null {
  const word = (at: number) => (dataWords(data) > at ? BigInt(wordOf(data, at)) : null)
  switch (topics[0]) {
    case changedOne: {
      const id = word(0)
      return id === null ? null : { token, from: id, to: id }
    }
    case changedRange: {
      const [from, to] = [word(0), word(1)]
      return from === null || to === null ? null : { token, from, to }
    }
    case changedUri: {
      const [, topic] = topics
      if (topic === undefined) return null
      return { token, from: BigInt(topic), to: BigInt(topic) }
    }
    default:
      return null
  }
}
