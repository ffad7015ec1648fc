import { describe, expect, test } from 'vitest'
import type { TransactionLog } from '../../chain/block.ts'
import { hash, hex, zeroAddress } from '../../chain/hex.ts'
import { balances, balancesByValue } from '../../tables/tables/balances.ts'
import { holders } from '../../tables/tables/holders.ts'
import { tokenState } from '../../tables/tables/tokens.ts'
import {
  addressWord,
  alice,
  balance,
  batchLog,
  bob,
  burned,
  carol,
  contract,
  deposited,
  depositLog,
  describing,
  emitted,
  gap,
  type LogFact,
  minted,
  nftLog,
  nftMinted,
  observed,
  singleLog,
  together,
  transferLog,
  transferred,
  withdrawn,
  word,
  words,
} from '../testing/facts.ts'
import { given, law } from '../testing/law.ts'
import {
  BlockTransfers,
  batchTopic,
  depositTopic,
  transferTopic,
  withdrawalTopic,
  wrappingHolder,
} from './transfers.ts'

const token = contract(1)
const ends = [alice, bob] as const
const at = (fact: LogFact): TransactionLog => ({ ...fact, index: 7 })
const of = (fact: LogFact) => [...new BlockTransfers({ transactions: [] }).ofLog(at(fact))]
const greatest = (1n << 256n) - 1n
const dirty = hash(`0x01${'0'.repeat(22)}${alice.slice(2)}`)

describe('what is a transfer (decision 32)', () => {
  law('ERC-20: three topics and a word of data', () =>
    expect(of(transferLog(token, ends, greatest))).toEqual([
      {
        token,
        form: 'ERC-20',
        from: alice,
        to: bob,
        tokenId: null,
        value: greatest,
        logIndex: 7,
        batchIndex: 0,
        batchSize: 1,
      },
    ]),
  )

  law('the first 32 bytes count, more are ignored', () =>
    expect(of({ ...transferLog(token, ends, 1n), data: words(5, 6) })).toMatchObject([
      { form: 'ERC-20', value: 5n },
    ]),
  )

  law('short data is none', () => {
    const log = transferLog(token, ends, 1n)
    expect(of({ ...log, data: hex(log.data.slice(0, -2)) })).toEqual([])
    expect(of({ ...log, data: hex('0x') })).toEqual([])
    const single = singleLog(token, ends, [1n, 2n])
    expect(of({ ...single, data: hex(single.data.slice(0, -2)) })).toEqual([])
  })

  law('ERC-721: four topics, whatever the data', () =>
    expect(of({ ...nftLog(token, ends, greatest), data: words(3) })).toMatchObject([
      { form: 'ERC-721', tokenId: greatest, value: 1n, from: alice, to: bob },
    ]),
  )

  law('an old collection: one topic and exactly 96 bytes', () => {
    const data = words(BigInt(alice), BigInt(bob), 9)
    const old = { address: token, topics: [transferTopic], data }
    expect(of(old)).toMatchObject([{ form: 'ERC-721', from: alice, to: bob, tokenId: 9n }])
    expect(of({ ...old, data: hex(`${data}00`) })).toEqual([])
    expect(of({ ...old, data: words(1, 2) })).toEqual([])
  })

  law('two topics are none', () =>
    expect(of({ address: token, topics: [transferTopic, word(1)], data: words(1, 2) })).toEqual([]),
  )

  law('an address word with anything above its 20 bytes is none', () => {
    const { topics, ...rest } = transferLog(token, ends, 1n)
    expect(of({ ...rest, topics: [transferTopic, dirty, addressWord(bob)] })).toEqual([])
    expect(of({ ...rest, topics: [transferTopic, addressWord(bob), dirty] })).toEqual([])
    expect(topics).toHaveLength(3)
    const old = { address: token, topics: [transferTopic], data: words(BigInt(dirty), 2, 9) }
    expect(of(old)).toEqual([])
    const single = singleLog(token, ends, [1n, 2n])
    for (const place of [1, 2, 3]) {
      expect(of({ ...single, topics: single.topics.with(place, dirty) })).toEqual([])
    }
  })

  law('TransferSingle: an id and a value', () =>
    expect(of(singleLog(token, [zeroAddress, bob], [greatest, 0n]))).toMatchObject([
      { form: 'ERC-1155', from: zeroAddress, to: bob, tokenId: greatest, value: 0n, batchSize: 1 },
    ]),
  )

  law('a log without topics, or of another kind, is none', () => {
    expect(of({ address: token, topics: [], data: words(1) })).toEqual([])
    expect(of({ address: token, topics: [word(1), word(2), word(3)], data: words(1) })).toEqual([])
  })
})

describe('batches (decisions 22, 34)', () => {
  law('every item is a transfer with its place', () =>
    expect(
      of(
        batchLog(token, ends, [
          [4n, 1n],
          [2n, 9n],
        ]),
      ),
    ).toMatchObject([
      { tokenId: 4n, value: 1n, batchIndex: 0, batchSize: 2 },
      { tokenId: 2n, value: 9n, batchIndex: 1, batchSize: 2 },
    ]),
  )

  law('items of one id are merged at the lowest place', () =>
    expect(
      of(
        batchLog(token, ends, [
          [4n, 1n],
          [2n, 9n],
          [4n, 5n],
          [3n, 0n],
        ]),
      ),
    ).toMatchObject([
      { tokenId: 4n, value: 6n, batchIndex: 0, batchSize: 4 },
      { tokenId: 2n, batchIndex: 1 },
      { tokenId: 3n, batchIndex: 3 },
    ]),
  )

  law('no amount is cut: what would pass 2^256-1 stands on its own', () =>
    expect(
      of(
        batchLog(token, ends, [
          [4n, greatest],
          [4n, 1n],
          [4n, 2n],
        ]),
      ),
    ).toMatchObject([
      { value: greatest, batchIndex: 0 },
      { value: 3n, batchIndex: 1 },
    ]),
  )

  law('an empty batch is none', () => expect(of(batchLog(token, ends, []))).toEqual([]))

  law('malformed arrays are none, and cost nothing', () => {
    const { topics } = batchLog(token, ends, [])
    const withData = (...values: (bigint | number)[]) =>
      of({ address: token, topics, data: words(...values) })
    expect(topics[0]).toBe(batchTopic)
    expect(withData()).toEqual([])
    expect(withData(64)).toEqual([])
    expect(withData(64, 128, 1, 5)).toEqual([])
    expect(withData(64, 128, 1, 5, 2, 1, 1)).toEqual([])
    expect(withData(64, 128, 0xffff_ffff, 5, 0xffff_ffff, 1)).toEqual([])
    expect(withData(64, 128, greatest, 5, greatest, 1)).toEqual([])
    expect(withData(greatest, 128, 1, 5, 1, 1)).toEqual([])
    expect(withData(64, 4096, 1, 5, 1, 1)).toEqual([])
    expect(withData((1n << 64n) + 64n, 128, 1, 5, 1, 1)).toEqual([])
    expect(withData(64, 128, 1, 5, 1, 1)).toMatchObject([{ tokenId: 5n, value: 1n }])
  })
})

const coin = contract(1)
const cats = contract(3)

describe('events of a wrapped coin without a transfer (decision 23)', () => {
  law('makes the balance unknown, and the supply', () =>
    given(minted(coin, alice, 5n), minted(coin, bob, 6n), deposited(coin, alice, 3n))
      .shows(balances, [{ holder: bob, value: 6n }])
      .shows(balancesByValue, [{ holder: bob }])
      .shows(holders, [{ holder: bob }])
      .shows(tokenState, [{ totalSupply: null, holdersCount: null }]),
  )

  law('a withdrawal as well as a deposit', () =>
    given(minted(coin, alice, 5n), withdrawn(coin, alice, 3n))
      .shows(balances, [])
      .shows(tokenState, [{ totalSupply: null, holdersCount: null }]),
  )

  law('before the first transfer, when nobody knows yet that it is a token', () =>
    given(deposited(coin, alice, 9n), transferred(coin, [alice, bob], 4n))
      .shows(balances, [{ holder: bob, value: 4n }])
      .shows(tokenState, [{ totalSupply: null, holdersCount: null }]),
  )

  law('in the block of the first transfer, before it or after it', () => {
    const logs = [depositLog(coin, alice, 9n), transferLog(coin, [alice, bob], 4n)]
    for (const told of [logs, logs.toReversed()]) {
      given(emitted(...told))
        .shows(balances, [{ holder: bob, value: 4n }])
        .shows(tokenState, [{ totalSupply: null }])
    }
  })

  law('and what moves later stays unknown until it is observed', () =>
    given(
      minted(coin, alice, 5n),
      deposited(coin, alice, 3n),
      minted(coin, alice, 1n),
      burned(coin, alice, 2n),
    )
      .shows(balances, [])
      .shows(tokenState, [{ totalSupply: null }]),
  )

  law('an observation of the same block heals both, and transfers carry it on', () =>
    given(
      deposited(coin, alice, 9n),
      observed(balance(coin, alice, [null, 9n])),
      observed({ supplies: [{ token: coin, value: 9n }] }),
      transferred(coin, [alice, bob], 4n),
      minted(coin, carol, 1n),
    )
      .shows(balances, [
        { holder: alice, value: 5n },
        { holder: bob, value: 4n },
        { holder: carol, value: 1n },
      ])
      .shows(tokenState, [{ totalSupply: 10n, holdersCount: 3 }]),
  )

  law('an observation from before it is skipped', () =>
    given(
      minted(coin, alice, 5n),
      deposited(coin, alice, 3n),
      observed(balance(coin, alice, [null, 5n]), { age: 1 }),
      observed({ supplies: [{ token: coin, value: 5n }] }, { age: 1 }),
    )
      .shows(balances, [])
      .shows(tokenState, [{ totalSupply: null }]),
  )

  law('the supply that the contract returns after the block is valid for it', () =>
    given(
      describing(
        together(minted(coin, bob, 1n), deposited(coin, alice, 3n), minted(coin, bob, 1n)),
        { address: coin, totalSupply: 5n },
      ),
    ).shows(tokenState, [{ totalSupply: 5n }]),
  )

  law('alone makes no token', () =>
    given(deposited(coin, alice, 3n))
      .shows(tokenState, [])
      .shows(balances, []),
  )

  law('of a collection is ignored: its owners are known', () =>
    given(nftMinted(cats, alice, 1n), deposited(cats, alice, 3n))
      .shows(holders, [{ holder: alice, value: 1n }])
      .shows(tokenState, [{ totalSupply: 1n }]),
  )

  law('of the zero address is ignored', () =>
    given(minted(coin, alice, 5n), deposited(coin, zeroAddress, 3n)).shows(tokenState, [
      { totalSupply: 5n },
    ]),
  )

  law('goes with a gap as all that is known', () =>
    given(deposited(coin, alice, 9n), gap(1), transferred(coin, [alice, bob], 1n))
      .shows(balances, [])
      .shows(tokenState, [{ totalSupply: null, holdersCount: null }]),
  )
})

describe('a log of a wrapped coin', () => {
  const log = { index: 0, ...depositLog(coin, alice, 3n) }
  const [topic, account] = [depositTopic, addressWord(alice)]

  test('names whose balance changed', () => {
    expect(wrappingHolder(log)).toBe(alice)
    expect(wrappingHolder({ ...log, topics: [withdrawalTopic, account] })).toBe(alice)
  })

  test.each([
    ['another topic', { topics: [word(1), account] }],
    ['one topic', { topics: [topic] }],
    ['three topics', { topics: [topic, account, account] }],
    ['an unclean address', { topics: [topic, word(1n << 200n)] }],
    ['no amount', { data: hex('0x') }],
    ['half an amount', { data: hex(`0x${'00'.repeat(31)}`) }],
    ['the zero address', { topics: [topic, addressWord(zeroAddress)] }],
  ])('is none with %s', (_, spoilt) => {
    expect(wrappingHolder({ ...log, ...spoilt })).toBeNull()
  })

  test('may carry more than the amount', () => {
    expect(wrappingHolder({ ...log, data: words(3n, 4n) })).toBe(alice)
  })
})
