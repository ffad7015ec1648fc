import { encodeAbiParameters, encodePacked, getCreate2Address, type Hex, keccak256 } from 'viem'
import { type Address, address } from '../../chain/hex.ts'
import type { Hop } from './hops.ts'
import type { DexTag } from './phrase.ts'

type Pair = readonly [Address, Address]

/** A factory whose pools have addresses derived from their tokens, on every chain. */
interface Factory {
  readonly dex: DexTag
  readonly address: Hex
  /** Of the code that creates a pool. */
  readonly codeHash: Hex
  readonly saltsOf: (pair: Pair) => readonly Hex[]
}

const pairSalts = (pair: Pair): readonly Hex[] => [
  keccak256(encodePacked(['address', 'address'], [...pair])),
]

const feeParameters = [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }] as const
const feeSalts =
  (fees: readonly number[]) =>
  ([first, second]: Pair): readonly Hex[] =>
    fees.map((fee) => keccak256(encodeAbiParameters(feeParameters, [first, second, fee])))

const dex = (name: string, url: string): DexTag => ({ name, icon: '', url })
const uniswap = 'https://app.uniswap.org'
const sushi = 'https://www.sushi.com'
const pancake = 'https://pancakeswap.finance'
const fees = feeSalts([100, 500, 3_000, 10_000])

const uniswapPairCode = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f'
const uniswapPoolCode = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54'

const factories: readonly Factory[] = [
  {
    dex: dex('Uniswap V2', uniswap),
    address: '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f',
    codeHash: uniswapPairCode,
    saltsOf: pairSalts,
  },
  {
    dex: dex('Uniswap V2', uniswap),
    address: '0x8909dc15e40173ff4699343b6eb8132c65e18ec6',
    codeHash: uniswapPairCode,
    saltsOf: pairSalts,
  },
  {
    dex: dex('Uniswap V3', uniswap),
    address: '0x1f98431c8ad98523631ae4a59f267346ea31f984',
    codeHash: uniswapPoolCode,
    saltsOf: fees,
  },
  {
    dex: dex('SushiSwap', sushi),
    address: '0xc0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac',
    codeHash: '0xe18a34eb0e04b04f7a0ac29a6e80748dca96319b42c54d679cb821dca90c6303',
    saltsOf: pairSalts,
  },
  {
    dex: dex('ShibaSwap', 'https://shibaswap.com'),
    address: '0x115934131916c8b277dd010ee02de363c09d037c',
    codeHash: '0x65d1a3b1e46c6e4f1be1ad5f99ef14dc488ae0549dc97db9b30afe2241ce1c7a',
    saltsOf: pairSalts,
  },
  {
    dex: dex('PancakeSwap V2', pancake),
    address: '0x1097053fd2ea711dad45caccc45eff7548fcb362',
    codeHash: '0x57224589c67f3f30a6b0d7a1b54cf3153ab84563bc609ef41dfb34f8b2974d2d',
    saltsOf: pairSalts,
  },
  {
    dex: dex('PancakeSwap V2', pancake),
    address: '0xca143ce32fe78f1f7019d7d551a6402fc5350c73',
    codeHash: '0x00fb7f630766e6a796048ea87d01acd3068e8ff67d078148a3fa3f4a84f69bd5',
    saltsOf: pairSalts,
  },
  {
    dex: dex('PancakeSwap V3', pancake),
    address: '0x41ff9aa7e16b8b1a8a8dc4f0efacd93d02d071c9',
    codeHash: '0x6ce8eb472fa82df5469c6ab6d485f17c3ad13c8cd7af59b3d4a8026c5ce0f7e2',
    saltsOf: feeSalts([100, 500, 2_500, 10_000]),
  },
]

/** Bound of the pools checked for one transaction: each takes some twenty hashes. */
const poolsMax = 32

/**
 * The exchange on which all swaps of a transaction were done; null if there were several, or if
 * any pool is not proved to belong to it: a pool's events do not name its factory.
 * @param swapsCount of all logs of swaps
 */
export function dexOf(hops: readonly Hop[], swapsCount: number): DexTag | null {
  if (hops.length < swapsCount) return null
  const pools = new Map(hops.map(({ pool, ...hop }) => [pool, pairOf(hop)]))
  if (pools.size > poolsMax) return null
  let found: DexTag | null = null
  for (const [pool, pair] of pools) {
    const dex = factories.find((factory) => isPoolOf(factory, pair, pool))?.dex ?? null
    if (dex === null || (found !== null && found.name !== dex.name)) return null
    found = dex
  }
  return found
}

const pairOf = ({ paid, received }: Pick<Hop, 'paid' | 'received'>): Pair =>
  paid.token < received.token ? [paid.token, received.token] : [received.token, paid.token]

const isPoolOf = (factory: Factory, pair: Pair, pool: Address | null): boolean =>
  factory
    .saltsOf(pair)
    .map((salt) =>
      getCreate2Address({ from: factory.address, bytecodeHash: factory.codeHash, salt }),
    )
    .some((made) => address(made) === pool)
