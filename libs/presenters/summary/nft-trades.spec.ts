import { encodeAbiParameters, parseAbiParameters, toEventSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { hash, zeroAddress } from '../../chain/hex.ts'
import type { TransferRow } from '../objects/transfer.ts'
import {
  ether,
  nfts,
  other,
  paying,
  pool,
  sender,
  sentence,
  stranger,
  word,
} from '../testing/executed.ts'
import { aLog, aTransfer, indexOf } from '../testing/rows.ts'
import type { ExecutedTransaction } from './executed-transaction.ts'
import { salesMax } from './nft-trades.ts'

describe('sales of NFTs', () => {
  const nft = (says: Partial<TransferRow>) =>
    aTransfer({ token: nfts, form: indexOf('ERC-721'), tokenId: 7n, value: 1n, ...says })
  const order = parseAbiParameters([
    'bytes32 hash, address recipient, Offered[] offer, Wanted[] consideration',
    'struct Offered { uint8 itemType; address token; uint256 identifier; uint256 amount; }',
    'struct Wanted { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }',
  ])
  const fulfilled = (price: bigint, tokenId = 7n) =>
    aLog({
      topics: [
        hash(
          toEventSelector(
            'OrderFulfilled(bytes32,address,address,address,(uint8,address,uint256,uint256)[],(uint8,address,uint256,uint256,address)[])',
          ),
        ),
        word(other),
        word(zeroAddress),
      ],
      data: encodeAbiParameters(order, [
        word(1n),
        sender,
        [{ itemType: 2, token: nfts, identifier: tokenId, amount: 1n }],
        [
          { itemType: 0, token: zeroAddress, identifier: 0n, amount: price - 1n, recipient: other },
          { itemType: 0, token: zeroAddress, identifier: 0n, amount: 1n, recipient: stranger },
        ],
      ]),
    })
  const bought = (says: Partial<ExecutedTransaction>) =>
    sentence({
      transaction: paying(2n * ether),
      transfers: [nft({ from: other, to: sender })],
      ...says,
    })

  test('have the price that the marketplace tells, up to what was given', () => {
    expect(bought({ logs: [fulfilled(ether)] })).toBe('Bought ART #7 for 1 COIN')
    const general = 'Sent 2 COIN and received ART #7'
    expect(bought({ logs: [fulfilled(3n * ether)] })).toBe(general)
    expect(bought({ logs: [fulfilled(ether, 8n)] })).toBe(general)
    expect(bought({})).toBe(general)
  })

  test('are not summed up where there are too many to read', () =>
    expect(bought({ logs: Array(salesMax + 1).fill(fulfilled(1_000n)) })).toBe(
      'Sent 2 COIN and received ART #7',
    ))

  test('are told by transfers in opposite directions between the same two', () => {
    const [there, back] = [
      { from: sender, to: other },
      { from: other, to: sender },
    ]
    expect(sentence({ transfers: [nft(there), aTransfer(back)] })).toBe('Sold ART #7 for 1.5 AU')
    expect(sentence({ transfers: [nft(back), aTransfer(there)] })).toBe('Bought ART #7 for 1.5 AU')
    const pledged = [nft({ from: sender, to: pool }), aTransfer(back)]
    expect(sentence({ transfers: pledged })).toBe('Sent ART #7 and received 1.5 AU')
  })
})
