import { beforeAll, describe, expect, test } from 'vitest'
import { folderSource } from '../libs/adapters/folder/folder-source.ts'
import type { Block } from '../libs/chain/block.ts'
import { type Address, withoutPrefix, zeroAddress } from '../libs/chain/hex.ts'
import { position } from '../libs/chain/position.ts'
import { standards } from '../libs/chain/token.ts'
import {
  type Balance,
  balanceEntity,
  balanceEntityId,
} from '../libs/projections/entities/balance.ts'
import { tokenEntity } from '../libs/projections/entities/token.ts'
import { transfersOf } from '../libs/projections/ledger/transfers.ts'
import { stateGroup } from '../libs/projections/state/state-group.ts'
import { InMemoryGroup } from '../libs/projections/testing/law.ts'
import { balances, balancesByValue } from '../libs/tables/tables/balances.ts'
import { type BlocksMessage, blocksVersion } from '../libs/topics/blocks.ts'
import {
  mainnetFolder,
  singlesFolder,
  type TruthBalance,
  type TruthTransfer,
  truthBalances,
  truthTransfers,
} from './support/mainnet-truth.ts'

const chainId = 1

async function blocksOf(folder: string): Promise<Block[]> {
  const source = await folderSource({ folder })
  const blocks: Block[] = []
  let number = await source.nextNumber(0)
  while (number !== null) {
    const block = await source.block(number)
    if (block === null) throw new Error(`no block ${number}`)
    blocks.push(block)
    number = await source.nextNumber(number + 1)
  }
  await source.close()
  return blocks
}

/** One line a transfer, so that what is missing and what is extra can be read. */
const line = (...cells: (string | number | bigint | null)[]): string => cells.join(' ')

const fieldsOf = (
  t: Pick<TruthTransfer, 'form' | 'token' | 'from' | 'to' | 'tokenId' | 'value'>,
) => [t.form, t.token, t.from, t.to, t.tokenId, t.value]

const ourTransfers = (blocks: readonly Block[]): string[] =>
  blocks.flatMap(({ number, transactions }) =>
    transactions.flatMap((transaction) =>
      transfersOf(transaction).map((t) =>
        line(number, transaction.hash, t.logIndex, t.batchIndex, ...fieldsOf(t)),
      ),
    ),
  )

const theirTransfers = (blocks: readonly Block[]): string[] => {
  const numbers = new Set(blocks.map((block) => block.number))
  return truthTransfers()
    .filter(({ blockNumber }) => numbers.has(blockNumber))
    .map((t) =>
      line(t.blockNumber, t.transactionHash, t.logIndex, t.batchIndex ?? 0, ...fieldsOf(t)),
    )
}

let consecutive: Block[]
beforeAll(async () => {
  consecutive = await blocksOf(mainnetFolder)
})

describe('every token transfer of real blocks', () => {
  test('equals the truth in all fields: twelve consecutive blocks', () => {
    const ours = ourTransfers(consecutive)
    expect(ours.length).toBeGreaterThan(2_000)
    expect(ours.sort()).toEqual(theirTransfers(consecutive).sort())
  })

  test('equals the truth in all fields: blocks of other ages, with a real batch', async () => {
    const blocks = await blocksOf(singlesFolder)
    expect(ourTransfers(blocks).sort()).toEqual(theirTransfers(blocks).sort())
  })
})

const pairOf = ({ token, holder }: Pick<TruthBalance, 'token' | 'holder'>) => `${token} ${holder}`

/** What a node would say before the first block: each pair's balance before its first change. */
function observationBefore(first: Block, truth: readonly TruthBalance[]): BlocksMessage {
  const seen = new Map<string, TruthBalance>()
  for (const row of truth) if (!seen.has(pairOf(row))) seen.set(pairOf(row), row)
  return observation(
    { number: first.number - 1, hash: first.parentHash },
    [...seen.values()].map((row) => ({ ...row, value: row.before })),
  )
}

type Seen = Pick<TruthBalance, 'token' | 'holder'> & { readonly value: bigint }

const observation = (
  { number, hash }: Pick<Block, 'number' | 'hash'>,
  seen: readonly Seen[],
): BlocksMessage => ({
  kind: 'state.observed',
  version: blocksVersion,
  sequence: position(1),
  chainId,
  block: number,
  hash,
  balances: seen.map(({ token, holder, value }) => ({ token, holder, tokenId: null, value })),
  supplies: [],
  owners: [],
  tokens: [],
})

const applied = (block: Block): BlocksMessage => ({
  kind: 'block.applied',
  version: blocksVersion,
  sequence: position(1),
  chainId,
  block: { ...block, transactions: [...block.transactions] },
  tokens: [],
  contracts: [],
})

/**
 * What is known of a pair: the row that is shown, and zero only where zero is known. Null also
 * where it is hidden, because transfers do not explain its token (decision 64).
 */
function knownBy(runner: InMemoryGroup): (row: TruthBalance) => bigint | null {
  const shown = new Map<string, bigint>()
  for (const row of runner.tables.rowsOf(balances.name)) {
    const { token, holder, value }: Record<string, unknown> = row
    shown.set(`${token} ${holder}`, BigInt(String(value)))
  }
  return ({ token, holder }) => {
    const stored = runner.state.get(
      balanceEntity,
      balanceEntityId({ token, holder, tokenId: null }),
    )
    if (!stored?.isKnown || isHidden(runner, token, stored)) return null
    return shown.get(pairOf({ token, holder })) ?? 0n
  }
}

const tokenOf = (runner: InMemoryGroup, token: Address) =>
  runner.state.get(tokenEntity, withoutPrefix(token))

const isHidden = (runner: InMemoryGroup, token: Address, pair: Balance): boolean =>
  pair.observedAt < (tokenOf(runner, token)?.shownSince ?? 0)

describe('balances after every real block', () => {
  // The zero address holds nothing here, whatever its contract counts (decision 35).
  const truth = truthBalances().filter(({ holder }) => holder !== zeroAddress)
  const changesIn = ({ number }: Block) => truth.filter((row) => row.blockNumber === number)
  const observed = (): InMemoryGroup => {
    const [first] = consecutive
    if (first === undefined) throw new Error('no blocks')
    const runner = new InMemoryGroup(stateGroup)
    runner.fold([observationBefore(first, truth)])
    return runner
  }

  test('equal the truth for every pair whose changes transfers explain', () => {
    const runner = observed()
    const unexplained = new Set<string>()
    const inDoubt = new Set<Address>()
    let compared = 0
    let hidden = 0
    for (const block of consecutive) {
      runner.fold([applied(block)])
      const known = knownBy(runner)
      for (const row of changesIn(block)) {
        if (!row.equalsTransfers) unexplained.add(pairOf(row))
        if (unexplained.has(pairOf(row))) continue
        const value = known(row)
        if (value === null) {
          expect(tokenOf(runner, row.token)?.shownSince, pairOf(row)).toBeGreaterThan(0)
          inDoubt.add(row.token)
          hidden += 1
          continue
        }
        expect(value, `${block.number} ${pairOf(row)}`).toBe(row.after)
        compared += 1
      }
    }
    // Transfers explain 2,888 changes; one of them follows an unexplained one of its pair. The
    // unexplained pairs wrap and unwrap coins, rebase, or pay fees on transfers. One of the tokens
    // paid more than it had: two of its balances are hidden, although transfers explain them.
    expect({ compared, hidden, unexplained: unexplained.size, inDoubt: inDoubt.size }).toEqual({
      compared: 2885,
      hidden: 2,
      unexplained: 29,
      inDoubt: 1,
    })
  })

  test('equal it for all pairs where a node is asked about those that deviate', () => {
    const runner = observed()
    let shown = 0
    for (const block of consecutive) {
      runner.fold([applied(block)])
      const asked = changesIn(block).filter((row) => !row.equalsTransfers)
      runner.fold([
        observation(
          block,
          asked.map((row) => ({ ...row, value: row.after })),
        ),
      ])
      const known = knownBy(runner)
      for (const row of changesIn(block)) {
        const value = known(row)
        if (value !== null) expect(value, pairOf(row)).toBe(row.after)
        else expect(tokenOf(runner, row.token)?.shownSince, pairOf(row)).toBeGreaterThan(0)
        shown += value === null ? 0 : 1
      }
    }
    expect(shown).toBe(2913)
  })

  test('are not shown at all without an observation, but for tokens created in these blocks', () => {
    const runner = new InMemoryGroup(stateGroup)
    runner.fold(consecutive.map(applied))
    const created = new Set<string>(
      consecutive.flatMap((block) => block.transactions.map((t) => String(t.createdContract))),
    )
    const shown = runner.tables.rowsOf(balancesByValue.name).map((row) => {
      const { token, standard }: Record<string, unknown> = row
      return { token: String(token), standard: Number(standard) }
    })
    const counts = shown.filter(({ standard }) => standard === standards.indexOf('ERC-721'))
    expect(counts.length).toBeGreaterThan(0)
    expect(shown.filter((row) => !counts.includes(row) && !created.has(row.token))).toEqual([])
  })

  // Decision 21.
  test('are gone once every block is taken back', () => {
    const runner = observed()
    runner.fold(consecutive.map(applied))
    runner.takeBack(consecutive.length + 1)
    expect(runner.state.size).toBe(0)
    for (const name of runner.tables.names) expect(runner.tables.rowsOf(name)).toEqual([])
  })
})
