import { type Address, address } from '../../chain/hex.ts'
import type { Lookups } from '../lookups.ts'

/** The contract that the builders of rollups put at one address on every chain of theirs. */
const ofOptimismStack = '0x4200000000000000000000000000000000000006'

/** By chain id: the one contract that everybody there calls the wrapped coin. */
const ofChains: ReadonlyMap<number, Address> = new Map(
  [
    [1, '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'],
    [10, ofOptimismStack],
    [56, '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c'],
    [100, '0xe91d153e0b41518a2ce8dd3d7944fa863463a97d'],
    [130, ofOptimismStack],
    [137, '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270'],
    [8_453, ofOptimismStack],
    [42_161, '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'],
    [43_114, '0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7'],
    [534_352, '0x5300000000000000000000000000000000000004'],
    [11_155_111, '0xfff9976782d46cc05630d1f6ebab18b2324d6b14'],
  ].map(([chainId, text]) => [Number(chainId), address(String(text))]),
)

/** A public tag by which other chains name theirs. */
const wrappedCoinSlug = 'wrapped-coin'

/**
 * Whether a token stands for the coin of the chain. Never by its name or its events: anyone can
 * deploy a token that says so, and then a summary would speak of coins that nobody moved.
 */
export const isWrappedCoin = (token: Address, lookups: Lookups, chainId: number): boolean =>
  ofChains.get(chainId) === token ||
  lookups.address(token).facts.tags.some(({ slug }) => slug === wrappedCoinSlug)
