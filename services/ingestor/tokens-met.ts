import type { Block } from '../../libs/chain/block.ts'
import type { Address } from '../../libs/chain/hex.ts'
import type { TokenMetadata } from '../../libs/chain/token.ts'
import { batchTopic, singleTopic, transferTopic } from '../../libs/projections/transfers.ts'
import type { Sight } from './sights.ts'

const transferTopics: ReadonlySet<string | undefined> = new Set([
  transferTopic,
  singleTopic,
  batchTopic,
])

/** Addresses that emitted a log of the form of a transfer, in order of appearance. */
export function tokensIn(block: Block): readonly Address[] {
  const found = new Set<Address>()
  for (const { logs } of block.transactions) {
    for (const { topics, address } of logs) if (transferTopics.has(topics[0])) found.add(address)
  }
  return [...found]
}

export interface Asking {
  readonly sightOf: (token: Address) => Sight | undefined
  /** Asks contracts, as of a block; see `ChainSource.tokens`. */
  readonly ask: (tokens: readonly Address[], block: number) => Promise<readonly TokenMetadata[]>
  /** A first sight this deep or deeper needs no metadata any more. */
  readonly firstSightDepthMax: number
}

/**
 * What to attach to each of some blocks in a row: metadata of every token that appears and whose
 * first sight is not yet deep. Each token that is unknown, or only known from an orphan, is asked
 * once, as of the block that shows it first, all at the same time.
 */
export async function metadataToAttach(
  blocks: readonly Block[],
  asking: Asking,
): Promise<readonly (readonly TokenMetadata[])[]> {
  const known = new Map<Address, TokenMetadata>()
  const asked = new Set<Address>()
  const orphaned = new Set<Address>()
  /** Blocks of first sights, those among `blocks` too: batching must not change what is said. */
  const first = new Map<Address, number>()
  const wanted = blocks.map((block) => {
    const fresh = tokensIn(block).filter((token) => isFresh(token, block.number))
    return { block, fresh, unknown: fresh.filter(isUnknown) }
  })
  const answers = await Promise.all(
    wanted.map(({ block, unknown }) =>
      unknown.length > 0 ? asking.ask(unknown, block.number) : [],
    ),
  )
  for (const metadata of answers.flat()) known.set(metadata.address, metadata)
  return wanted.map(({ fresh }) => fresh.flatMap((token) => known.get(token) ?? []))

  function isFresh(token: Address, block: number): boolean {
    const sight = asking.sightOf(token)
    if (sight?.metadata && !known.has(token)) known.set(token, sight.metadata)
    if (sight?.isOrphaned) orphaned.add(token)
    const seen = first.get(token) ?? sight?.block ?? block
    first.set(token, seen)
    return block - seen < asking.firstSightDepthMax
  }

  function isUnknown(token: Address): boolean {
    const isNew = (!known.has(token) || orphaned.has(token)) && !asked.has(token)
    asked.add(token)
    return isNew
  }
}
