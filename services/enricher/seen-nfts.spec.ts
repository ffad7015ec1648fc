import { describe, expect, it } from 'vitest'
import { eventLog } from '../../libs/projections/testing/events.ts'
import {
  alice,
  type BlockFact,
  batchMoved,
  bob,
  contract,
  emitted,
  moved,
  nftMinted,
  transferred,
} from '../../libs/projections/testing/facts.ts'
import { logOf } from '../../libs/projections/testing/log-of.ts'
import { type SeenNft, seenNfts } from './seen-nfts.ts'

const token = contract(1)

function seenIn(fact: BlockFact): SeenNft[] {
  return logOf([fact]).flatMap((message) =>
    message.kind === 'block.applied'
      ? [...seenNfts(message.block)].filter((one) => one !== null)
      : [],
  )
}

describe('a block names', () => {
  it('the ids of ERC-721 transfers', () => {
    expect(seenIn(nftMinted(token, alice, 7n))).toEqual([
      { kind: 'seen', token, tokenId: 7n, function: 'tokenURI' },
    ])
  })

  it('the ids of ERC-1155 transfers, whose function is another', () => {
    const single = moved(token, [alice, bob], [2n ** 256n - 1n, 1n])
    expect(seenIn(single)).toEqual([
      { kind: 'seen', token, tokenId: 2n ** 256n - 1n, function: 'uri' },
    ])
    const ids = seenIn(
      batchMoved(
        token,
        [alice, bob],
        [
          [1n, 2n],
          [2n, 1n],
        ],
      ),
    ).map((one) => (one.kind === 'seen' ? one.tokenId : null))
    expect(ids.sort()).toEqual([1n, 2n])
  })

  it('nothing by a transfer of an amount', () => {
    expect(seenIn(transferred(token, [alice, bob], 5n))).toEqual([])
  })

  it.each<[string, string, (string | bigint)[]]>([
    ['one', 'event MetadataUpdate(uint256 id)', [5n]],
    ['a range', 'event BatchMetadataUpdate(uint256 a, uint256 b)', [5n, 5n]],
    ['a URI', 'event URI(string value, uint256 indexed id)', ['ipfs://x', 5n]],
  ])('%s whose metadata changed', (_, signature, values) => {
    expect(seenIn(emitted(eventLog(token, signature, values)))).toEqual([
      { kind: 'changed', token, from: 5n, to: 5n, time: expect.any(Number) },
    ])
  })

  it.each([
    'event MetadataUpdate(uint256 indexed id)',
    'event BatchMetadataUpdate(uint256 indexed a, uint256 b)',
  ])('nothing by %s, whose words are not where they belong', (signature) => {
    const values = signature.split(',').map(() => 5n)
    expect(seenIn(emitted(eventLog(token, signature, values)))).toEqual([])
  })
})
