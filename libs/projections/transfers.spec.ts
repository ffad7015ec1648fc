import { describe, expect } from 'vitest'
import type { Log } from '../chain/block.ts'
import { hash, hex, zeroAddress } from '../chain/hex.ts'
import {
  addressWord,
  alice,
  batchLog,
  bob,
  contract,
  type LogFact,
  nftLog,
  singleLog,
  transferLog,
  word,
  words,
} from './testing/facts.ts'
import { law } from './testing/law.ts'
import { batchTopic, transfersOfLog, transferTopic } from './transfers.ts'

const token = contract(1)
const ends = [alice, bob] as const
const at = (fact: LogFact): Log => ({ ...fact, index: 7 })
const of = (fact: LogFact) => transfersOfLog(at(fact))
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
