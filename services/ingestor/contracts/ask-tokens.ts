import type { Address } from '../../../libs/chain/hex.ts'
import type { ChainSource, Code, TokensResult } from '../../../libs/ports/chain-source.ts'
import type { Accepted } from '../../../libs/topics/acceptance.ts'

/**
 * The state before the first block of the log, of the first block itself if it is the chain's: what
 * is created in it comes with a receipt. Null after a gap, which says nothing of what it holds.
 */
export function blockBefore({ floor, beforeFloor }: Accepted, first: number): number | null {
  return beforeFloor === null ? Math.max(0, (floor ?? first) - 1) : null
}

interface AskedTokens {
  readonly tokens: readonly Address[]
  readonly block: number
  readonly before: number | null
}

/** Metadata of tokens, and whether they had code before the log began, if the source knows it. */
export async function askTokens(
  source: Pick<ChainSource, 'tokens' | 'codes'>,
  { tokens, block, before }: AskedTokens,
): Promise<TokensResult> {
  const [answer, codes] = await Promise.all([
    source.tokens(tokens, block),
    before === null ? noCodes : source.codes(tokens, before, { isExact: true }),
  ])
  const metadata = answer.metadata.map((one) => {
    const code = codes.get(one.address)
    return code === undefined ? one : { ...one, hasCodeBefore: code !== 'none' }
  })
  return { ...answer, metadata }
}

const noCodes: ReadonlyMap<Address, Code> = new Map<Address, Code>()
