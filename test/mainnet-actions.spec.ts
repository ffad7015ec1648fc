import { encodeAbiParameters, encodePacked, getCreate2Address, keccak256 } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { folderSource } from '../libs/adapters/folder/folder-source.ts'
import type { Transaction } from '../libs/chain/block.ts'
import { type Address, address, type Hex, hex } from '../libs/chain/hex.ts'
import { actionLog, type PoolLog } from '../libs/projections/ledger/action-logs.ts'
import { actionsOf, type PoolTokens, poolTokens } from '../libs/projections/ledger/actions.ts'
import { transfersOf } from '../libs/projections/ledger/transfers.ts'
import { mainnetFolder, singlesFolder } from './support/mainnet-truth.ts'

async function transactionsOf(folder: string): Promise<Transaction[]> {
  const source = await folderSource({ folder })
  const transactions: Transaction[] = []
  for (let at = await source.nextNumber(0); at !== null; at = await source.nextNumber(at + 1)) {
    transactions.push(...((await source.block(at))?.transactions ?? []))
  }
  await source.close()
  return transactions
}

let consecutive: Transaction[]
let singles: Transaction[]
beforeAll(async () => {
  consecutive = await transactionsOf(mainnetFolder)
  singles = await transactionsOf(singlesFolder)
})

interface Recognised {
  readonly log: PoolLog
  /** Undefined where no transfer shows them. */
  readonly tokens: PoolTokens | undefined
}

function recognisedIn(transaction: Transaction): Recognised[] {
  const logs = transaction.logs.map(actionLog).filter((log) => log?.kind === 'pool')
  const tokens = poolTokens(logs, transfersOf(transaction))
  return logs.map((log) => ({ log, tokens: tokens.get(log.pool) }))
}

/** The address of a pool follows from its maker and its tokens: independent of any transfer. */
interface Maker {
  readonly factory: Address
  readonly code: Hex
  readonly saltsOf: (tokens: PoolTokens) => Hex[]
}

const pairSalts = (tokens: PoolTokens): Hex[] => [
  keccak256(encodePacked(['address', 'address'], [...tokens])),
]
const feesOf = [100, 500, 3_000, 10_000]
const feeSalts = ([first, second]: PoolTokens): Hex[] =>
  feesOf.map((fee) =>
    keccak256(
      encodeAbiParameters(
        [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }],
        [first, second, fee],
      ),
    ),
  )
const maker = (factory: string, code: string, saltsOf: Maker['saltsOf']): Maker => ({
  factory: address(factory),
  code: hex(code),
  saltsOf,
})

const makers: readonly Maker[] = [
  maker(
    '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f',
    '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f',
    pairSalts,
  ),
  maker(
    '0xc0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac',
    '0xe18a34eb0e04b04f7a0ac29a6e80748dca96319b42c54d679cb821dca90c6303',
    pairSalts,
  ),
  maker(
    '0x115934131916c8b277dd010ee02de363c09d037c',
    '0x65d1a3b1e46c6e4f1be1ad5f99ef14dc488ae0549dc97db9b30afe2241ce1c7a',
    pairSalts,
  ),
  maker(
    '0x1f98431c8ad98523631ae4a59f267346ea31f984',
    '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54',
    feeSalts,
  ),
]

const isMadeOf = (pool: Address, tokens: PoolTokens): boolean =>
  makers.some(({ factory, code, saltsOf }) =>
    saltsOf(tokens).some(
      (salt) => address(getCreate2Address({ from: factory, bytecodeHash: code, salt })) === pool,
    ),
  )

/** Pools of other makers; their tokens were read off their transfers by eye. */
const otherPools = [
  '0x35644fb61afbc458bf92b15add6abc1996be5014',
  '0x9c2dc3d5ffcecf61312c5f4c00660695b32fb3d1',
  '0xe219a14e355c1cb3f43594655a63488da154e8eb',
]

describe('pools of real blocks', () => {
  test('agree with their transfers, nearly all', () => {
    const swaps = consecutive.flatMap(recognisedIn).filter(({ log }) => log.type === 'swap')
    expect(swaps).toHaveLength(622)
    expect(swaps.filter(({ tokens }) => tokens !== undefined)).toHaveLength(602)
  })

  test('have the tokens that their addresses were made of', () => {
    const strangers = new Set<string>()
    const made = [...consecutive, ...singles].flatMap(recognisedIn).filter(({ log, tokens }) => {
      if (tokens === undefined) return false
      const isMade = isMadeOf(log.pool, tokens)
      if (!isMade) strangers.add(log.pool)
      return isMade
    })
    expect([...strangers].sort()).toEqual(otherPools)
    expect(made.length).toBeGreaterThan(800)
  })

  test('and lending is recognised too', () => {
    const lending = [...consecutive, ...singles]
      .flatMap((transaction) => actionsOf(transaction.logs, transfersOf(transaction)))
      .filter(({ protocol }) => protocol.startsWith('aave'))
    expect(lending.map(({ protocol, type }) => `${protocol} ${type}`).sort()).toEqual([
      'aave_v2 supply',
      'aave_v3 borrow',
      'aave_v3 supply',
      'aave_v3 withdraw',
    ])
  })
})
