import { describe, expect, test } from 'vitest'
import type { TransactionLog } from '../../chain/block.ts'
import { type Address, hex, zeroAddress } from '../../chain/hex.ts'
import { balances } from '../../tables/tables/balances.ts'
import { holders } from '../../tables/tables/holders.ts'
import { nftsByOwner } from '../../tables/tables/instances.ts'
import { tokenState } from '../../tables/tables/tokens.ts'
import { transactions } from '../../tables/tables/transactions.ts'
import { transfersByToken, transfersByTransaction } from '../../tables/tables/transfers.ts'
import { confirmedMin } from '../state/doubt.ts'
import {
  alice,
  balance,
  bob,
  carol,
  consecutiveLog,
  contract,
  created,
  describing,
  emitted,
  type LogFact,
  nftMinted,
  nftMoved,
  observed,
  person,
  word,
} from '../testing/facts.ts'
import { given, law } from '../testing/law.ts'
import {
  consecutiveIdsPerBlockMax,
  consecutiveIdsPerLogMax,
  consecutiveTopic,
} from './consecutive-transfers.ts'
import { BlockTransfers } from './transfers.ts'

const nfts = contract(1)
const minting = [zeroAddress, alice] as const
const greatest = (1n << 256n) - 1n

/** How many transfers each of a block's logs has; and what of it was not read. */
function readOf(...facts: LogFact[]) {
  const logs = facts.map((log, index) => ({ ...log, index }))
  return readOfBlock([{ logs, gasUsed: 50_000n }])
}

function readOfBlock(
  transactions: readonly { logs: TransactionLog[]; gasUsed: bigint }[],
  coinEmitters?: readonly Address[],
) {
  const transfers = new BlockTransfers({ transactions, coinEmitters })
  const logs = transactions.flatMap(({ logs }) => logs)
  const counts = logs.map((log) => [...transfers.ofLog(log)].length)
  return { counts, unread: [...transfers.unread] }
}

describe('a ConsecutiveTransfer (decision 62)', () => {
  law('is a transfer of each id, both ends of the range included', () =>
    given(emitted(consecutiveLog(nfts, minting, [7n, 9n])))
      .shows(transfersByToken, [
        { logIndex: 0, batchIndex: 0, batchSize: 3, tokenId: 7n, value: 1n, form: 1 },
        { logIndex: 0, batchIndex: 1, batchSize: 3, tokenId: 8n, from: zeroAddress, to: alice },
        { logIndex: 0, batchIndex: 2, batchSize: 3, tokenId: 9n },
      ])
      .shows(transfersByTransaction, [{ batchIndex: 2 }, { batchIndex: 1 }, { batchIndex: 0 }])
      .shows(transactions, [{ transfersCount: 3 }]),
  )

  law('moves each id to its owner', () =>
    given(
      created(nfts),
      emitted(consecutiveLog(nfts, minting, [1n, 5n])),
      nftMoved(nfts, [alice, bob], 3n),
      emitted(consecutiveLog(nfts, [alice, carol], [1n, 2n])),
    )
      .shows(nftsByOwner, [
        { owner: alice, tokenId: 5n },
        { owner: alice, tokenId: 4n },
        { owner: bob, tokenId: 3n },
        { owner: carol, tokenId: 2n },
        { owner: carol, tokenId: 1n },
      ])
      .shows(balances, [
        { holder: alice, value: 2n },
        { holder: bob, value: 1n },
        { holder: carol, value: 2n },
      ])
      .shows(holders, [
        { holder: carol, value: 2n },
        { holder: alice, value: 2n },
        { holder: bob, value: 1n },
      ])
      .shows(tokenState, [{ standard: 1, totalSupply: 5n, holdersCount: 3 }]),
  )

  law('of one id is one, also of the greatest', () =>
    given(emitted(consecutiveLog(nfts, minting, [greatest, greatest]))).shows(transfersByToken, [
      { tokenId: greatest, batchIndex: 0, batchSize: 1 },
    ]),
  )

  law('of too many ids makes unknown what the collection has, from its block on', () =>
    given(
      created(nfts),
      emitted(consecutiveLog(nfts, minting, [1n, 2n])),
      emitted(consecutiveLog(nfts, minting, [3n, 3n + BigInt(consecutiveIdsPerLogMax)])),
      nftMoved(nfts, [alice, bob], 2n),
    ).shows(tokenState, [{ totalSupply: null, holdersCount: null, shownSince: 3 }]),
  )

  law('of too many ids is not made up for by what is observed of its holders', () => {
    const people = Array.from({ length: confirmedMin + 1 }, (_, n) => person(n + 100))
    const balances = people.flatMap((who) => balance(nfts, who, [null, 1n]).balances)
    given(
      created(nfts),
      ...people.map((who, n) => nftMinted(nfts, who, BigInt(n))),
      emitted(consecutiveLog(nfts, minting, [0n, greatest])),
      observed({ balances }),
    ).shows(tokenState, [{ shownSince: people.length + 2, holdersCount: null }])
  })

  law('of too many ids is not forgotten where the contract is of another standard', () =>
    given(
      created(nfts),
      emitted(consecutiveLog(nfts, minting, [0n, greatest])),
      describing(nftMinted(nfts, alice, 7n), { address: nfts, standard: 'ERC-404' }),
    ).shows(tokenState, [{ shownSince: 3, totalSupply: null, holdersCount: null }]),
  )

  test('has as many ids as are read of one log, and no more', () => {
    const last = BigInt(consecutiveIdsPerLogMax)
    const [whole, longer] = [1n, 0n].map((first) => consecutiveLog(nfts, minting, [first, last]))
    expect(whole && readOf(whole)).toEqual({ counts: [consecutiveIdsPerLogMax], unread: [] })
    expect(longer && readOf(longer)).toEqual({ counts: [0], unread: [nfts] })
  })

  test.each([
    ['to the greatest id', [0n, greatest]],
    ['backwards', [5n, 4n]],
  ] as const)('that runs %s has no transfers, and its collection is unread', (_, ids) => {
    expect(readOf(consecutiveLog(nfts, minting, ids))).toEqual({ counts: [0], unread: [nfts] })
  })

  test.each<[string, Partial<LogFact>]>([
    ['three topics', { topics: [consecutiveTopic, word(1), word(2)] }],
    ['an unclean address', { topics: [consecutiveTopic, word(1), word(greatest), word(2)] }],
    ['no last id', { data: hex('0x') }],
  ])('with %s is none', (_, spoilt) => {
    const log = consecutiveLog(nfts, minting, [1n, 2n])
    expect(readOf({ ...log, ...spoilt })).toEqual({ counts: [0], unread: [] })
  })

  test('shares a bound of ids with all of its block', () => {
    const range = consecutiveLog(nfts, minting, [1n, BigInt(consecutiveIdsPerLogMax)])
    const count = consecutiveIdsPerBlockMax / consecutiveIdsPerLogMax
    const late = consecutiveLog(contract(2), minting, [1n, 1n])
    const { counts, unread } = readOf(...Array.from({ length: count }, () => range), late)
    expect(counts).toEqual([...Array.from({ length: count }, () => consecutiveIdsPerLogMax), 0])
    expect(unread).toEqual([contract(2)])
  })

  test('cannot be crowded out by ranges that cost less gas', () => {
    const range = consecutiveLog(nfts, minting, [1n, BigInt(consecutiveIdsPerLogMax)])
    const count = consecutiveIdsPerBlockMax / consecutiveIdsPerLogMax
    const logOf = (fact: LogFact, index: number) => ({ ...fact, index })
    const cheap = Array.from({ length: count }, (_, index) => logOf(range, index))
    const paid = logOf(consecutiveLog(contract(2), minting, [1n, 5_000n]), count)
    const { counts, unread } = readOfBlock([
      { logs: cheap, gasUsed: 60_000n },
      { logs: [paid], gasUsed: 2_000_000n },
    ])
    expect(counts.at(-1)).toBe(5_000)
    expect(unread).toEqual([nfts])
  })

  test('of a coin emitter uses up nothing of the bound: it is a log and nothing else', () => {
    const emitter = contract(9)
    const ids = [1n, BigInt(consecutiveIdsPerLogMax)] as const
    const count = consecutiveIdsPerBlockMax / consecutiveIdsPerLogMax
    const facts = Array.from({ length: count }, () => consecutiveLog(emitter, minting, ids))
    const logs = [...facts, consecutiveLog(nfts, minting, ids)].map((log, index) => ({
      ...log,
      index,
    }))
    const { counts, unread } = readOfBlock([{ logs, gasUsed: 50_000n }], [emitter])
    expect(counts.at(-1)).toBe(consecutiveIdsPerLogMax)
    expect(unread).toEqual([])
  })
})
