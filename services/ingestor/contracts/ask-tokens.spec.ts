import { describe, expect, it } from 'vitest'
import { type Address, zeroHash } from '../../../libs/chain/hex.ts'
import type { TokenMetadata } from '../../../libs/chain/token.ts'
import { type ChainSource, type Code, SourceError } from '../../../libs/ports/chain-source.ts'
import { nothingAccepted } from '../../../libs/topics/acceptance.ts'
import { tokenAddress } from '../../../test/support/source-of-values.ts'
import { askTokens, blockBefore } from './ask-tokens.ts'

const [coin, cats, silent] = [tokenAddress(1), tokenAddress(2), tokenAddress(3)]
const head = { number: 4, hash: zeroHash, timestamp: null }

const metadataOf = (address: Address): TokenMetadata => ({
  address,
  block: 900,
  standard: 'ERC-20',
  name: 'N',
  symbol: null,
  decimals: null,
  totalSupply: 7n,
})

/** Answers all but `silent`, whose calls fail, and `codes` of those that have some. */
function sourceOf(codes: ReadonlyMap<Address, Code> | Error) {
  const asked: unknown[] = []
  const source: Pick<ChainSource, 'tokens' | 'codes'> = {
    async tokens(addresses, block) {
      asked.push(['tokens', addresses, block])
      const metadata = addresses.filter((one) => one !== silent).map(metadataOf)
      return { metadata, failed: [silent], cutOff: [cats] }
    },
    async codes(addresses, block, options) {
      asked.push(['codes', addresses, block, options])
      if (codes instanceof Error) throw codes
      return codes
    },
  }
  return { source, asked }
}

const tokens = [coin, cats, silent]

describe('the block before which a token may have had code', () => {
  it('is the one before the first block of the log, whether that is published or not', () => {
    expect(blockBefore(nothingAccepted, 500)).toBe(499)
    expect(blockBefore({ ...nothingAccepted, floor: 500 }, 730)).toBe(499)
  })

  it('is the first block itself where that is the first of its chain', () => {
    expect(blockBefore(nothingAccepted, 0)).toBe(0)
    expect(blockBefore({ ...nothingAccepted, floor: 0 }, 730)).toBe(0)
  })

  it('is none after a gap, whose blocks may have created it', () => {
    expect(blockBefore({ ...nothingAccepted, floor: 500, beforeFloor: head }, 730)).toBeNull()
  })
})

describe('asking what tokens are', () => {
  it('adds whether they had code before, as of exactly that block, where the node knows', async () => {
    const { source, asked } = sourceOf(
      new Map<Address, Code>([
        [coin, 'none'],
        [silent, 'none'],
      ]),
    )
    const answer = await askTokens(source, { tokens, block: 900, before: 499 })
    expect(answer).toEqual({
      metadata: [{ ...metadataOf(coin), hasCodeBefore: false }, metadataOf(cats)],
      failed: [silent],
      cutOff: [cats],
    })
    expect(asked).toEqual([
      ['tokens', tokens, 900],
      ['codes', tokens, 499, { isExact: true }],
    ])
  })

  it('counts any code, a delegation too', async () => {
    const { source } = sourceOf(
      new Map<Address, Code>([
        [coin, 'own'],
        [cats, 'delegated'],
      ]),
    )
    const { metadata } = await askTokens(source, { tokens, block: 900, before: 499 })
    expect(metadata.map(({ hasCodeBefore }) => hasCodeBefore)).toEqual([true, true])
  })

  it('asks for no code after a gap', async () => {
    const { source, asked } = sourceOf(new Map<Address, Code>([[coin, 'none']]))
    const { metadata } = await askTokens(source, { tokens, block: 900, before: null })
    expect(metadata).toEqual([metadataOf(coin), metadataOf(cats)])
    expect(asked).toEqual([['tokens', tokens, 900]])
  })

  it('fails with the node: what it does not say now, it may say when it is asked again', async () => {
    const failure = new SourceError('timed-out', 'no answer')
    const { source } = sourceOf(failure)
    await expect(askTokens(source, { tokens, block: 900, before: 499 })).rejects.toBe(failure)
  })
})
