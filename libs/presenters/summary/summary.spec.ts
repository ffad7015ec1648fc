import { describe, expect, test } from 'vitest'
import { zeroAddress } from '../../chain/hex.ts'
import { DecodeBudget } from '../abi/decode-budget.ts'
import {
  all,
  chainId,
  contract,
  emitted,
  ether,
  executed,
  gold,
  lookupsFor,
  nfts,
  other,
  paying,
  sender,
  sentence,
  sentences,
  silver,
  stranger,
  swap,
  tin,
} from '../testing/executed.ts'
import { rendered } from '../testing/rendered.ts'
import { anAddress, aTransaction, aTransfer, indexOf } from '../testing/rows.ts'
import { namedIn } from './phrase.ts'
import { readingsOf, summaryObject, summaryRequest } from './summary.ts'

describe('without tokens', () => {
  // Decision 16.
  test('says nothing of a transaction that did not succeed', () => {
    expect(sentences({ transaction: aTransaction({ status: 0 }) })).toEqual([])
    expect(sentences({ transaction: aTransaction({ status: null }) })).toEqual([])
  })

  test.each([
    ['Called transfer on 0x0000..00a2', {}],
    ['Transferred 0.5 COIN to 0x0000..00a2', { transaction: aTransaction({ value: ether / 2n }) }],
    ['Called 0x12345678 on 0x0000..00a2 with 2 COIN', { transaction: paying(2n * ether) }],
    [
      'Created contract 0x0000..00c0',
      { transaction: aTransaction({ to: null, createdContract: anAddress(0xc0) }) },
    ],
    [
      'Created token 0x0000..0070',
      { transaction: aTransaction({ to: null, createdContract: gold }) },
    ],
  ])('says: %s', (expected, says) => expect(sentence(says)).toBe(expected))
})

describe('approvals', () => {
  const approval = 'Approval(address,address,uint256)'
  const forAll = 'ApprovalForAll(address,address,bool)'
  const approved = (amount: bigint, owner = sender) =>
    emitted(approval, { by: gold, indexed: [owner, other], plain: [amount] })

  test.each([
    ['Approved 0x0000..00a3 to spend 0.00002 AU', approved(20n)],
    ['Approved 0x0000..00a3 to spend unlimited AU', approved(2n ** 256n - 1n)],
    ['Revoked approval of 0x0000..00a3 for AU', approved(0n)],
    [
      'Approved 0x0000..00a3 for ART #7',
      emitted(approval, { by: nfts, indexed: [sender, other, 7n] }),
    ],
    [
      'Revoked approval of ART #7',
      emitted(approval, { by: nfts, indexed: [sender, zeroAddress, 7n] }),
    ],
    [
      'Approved 0x0000..00a3 for all ART',
      emitted(forAll, { by: nfts, indexed: [sender, other], plain: [1n] }),
    ],
    [
      'Revoked approval of 0x0000..00a3 for all ART',
      emitted(forAll, { by: nfts, indexed: [sender, other], plain: [0n] }),
    ],
  ])('says: %s', (expected, log) => expect(sentence({ logs: [log] })).toBe(expected))

  test('says nothing of what others are said to have approved', () =>
    expect(sentence({ logs: [approved(20n, stranger)] })).toBe('Called transfer on 0x0000..00a2'))
})

describe('moved tokens', () => {
  test.each([
    ['Transferred 1.5 AU to 0x0000..00a2', [aTransfer()]],
    ['Minted 1.5 AU', [aTransfer({ from: zeroAddress, to: sender })]],
    ['Burned 1.5 AU', [aTransfer({ to: zeroAddress })]],
    ['Received 1.5 AU', [aTransfer({ from: other, to: sender })]],
    ['Transferred SN to 0x0000..00a2', [aTransfer({ token: tin })]],
    ['Transferred 3 AU to 2 addresses', [aTransfer(), aTransfer({ to: other, logIndex: 6 })]],
    [
      'Transferred ART #7 to 0x0000..00a2',
      [aTransfer({ token: nfts, form: indexOf('ERC-721'), tokenId: 7n, value: 1n })],
    ],
    [
      'Transferred 5 ART #7 to 0x0000..00a2',
      [aTransfer({ token: nfts, form: indexOf('ERC-1155'), tokenId: 7n, value: 5n })],
    ],
    [
      'Sent 1.5 AU and received 2 AG',
      [aTransfer(), aTransfer({ token: silver, from: other, to: sender, value: 2_000_000n })],
    ],
  ])('says: %s', (expected, transfers) => expect(sentence({ transfers })).toBe(expected))

  test("says that a chain's own transaction minted them (decision 71)", () => {
    const transaction = aTransaction({ from: zeroAddress, to: zeroAddress, input: '0x' })
    const minted = aTransfer({ from: zeroAddress })
    expect(sentence({ transaction, transfers: [minted] })).toBe('Minted 1.5 AU to 0x0000..00a2')
    const more = { ...minted, token: silver, value: 2_000_000n }
    expect(sentence({ transaction, transfers: [minted, more] })).toBe('Minted 1.5 AU and 2 AG')
  })

  test('counts what came back', () =>
    expect(
      sentence({
        transfers: [aTransfer(), aTransfer({ from: contract, to: sender, value: 500_000n })],
      }),
    ).toBe('Transferred 1 AU to 0x0000..00a2'))

  test('says with what coins came NFTs that were minted', () => {
    const minted = (tokenId: bigint) =>
      aTransfer({
        token: nfts,
        form: indexOf('ERC-721'),
        tokenId,
        value: 1n,
        from: zeroAddress,
        to: sender,
      })
    const transaction = paying(ether)
    expect(sentence({ transaction, transfers: [minted(7n)] })).toBe('Sent 1 COIN and minted ART #7')
    expect(sentence({ transaction, transfers: [minted(7n), minted(8n)] })).toBe(
      'Sent 1 COIN and minted 2 ART',
    )
  })
})

test('says only general things of a transaction whose transfers were not all read', () => {
  const one = executed({ transfers: [aTransfer()] })
  const long = { ...one, transaction: { ...one.transaction, transfersCount: 500 } }
  const context = { lookups: lookupsFor(), chainId }
  expect(
    summaryObject(long, readingsOf(long, new DecodeBudget()), context)?.data.summaries.map(
      rendered,
    ),
  ).toEqual(['Called transfer on 0x0000..00a2'])
})

test('has a variable for each placeholder but the coin, and looks up all that it names', () => {
  const { transfers, logs } = all(swap())
  const one = executed({ transaction: paying(1n), transfers, logs })
  const readings = readingsOf(one, new DecodeBudget())
  const summary = summaryObject(one, readings, { lookups: lookupsFor(), chainId })
  for (const { summary_template, summary_template_variables } of summary?.data.summaries ?? []) {
    const names = [...summary_template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const expected = names.filter((name) => name !== 'native')
    expect(Object.keys(summary_template_variables).sort()).toEqual(expected.sort())
  }
  expect(summary?.success).toBe(true)
  expect(readings.flatMap((reading) => namedIn(reading).tokens)).toContain(silver)
})

// Decision 47.
test('tells what an interpreter would be asked, of a failed transaction too', () => {
  const transaction = aTransaction({ status: 0, value: 7n })
  const request = summaryRequest(
    executed({ transaction, transfers: [aTransfer()] }),
    chainId,
    lookupsFor(),
  )
  expect(request).toMatchObject({
    data: {
      type: 2,
      value: '7',
      status: 'error',
      to: { is_contract: false },
      token_transfers: [{ log_index: 5 }],
      internal_transactions: [],
    },
    logs_data: { items: [] },
    chain_id: chainId,
  })
})
