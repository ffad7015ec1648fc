import type { Block } from '../../libs/chain/block.ts'
import type { Address } from '../../libs/chain/hex.ts'
import type { TokenMetadata } from '../../libs/chain/token.ts'
import type { TokensResult } from '../../libs/ports/chain-source.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { type SeenTokens, tokensIn } from './seen-tokens.ts'
import type { TokenQueue } from './token-queue.ts'

interface AttachMetadataOptions {
  readonly seen: Pick<SeenTokens, 'of'>
  readonly queue: TokenQueue
  /** Asks contracts, as of a block; see `ChainSource.tokens`. */
  readonly ask: (tokens: readonly Address[], block: number) => Promise<TokensResult>
  readonly limits: AttachMetadataLimits
  readonly metrics: Pick<Metrics, 'questionsDeferred'> | undefined
}

interface AttachMetadataLimits {
  /** Depth of the first block of a token from which metadata is not attached any more. */
  readonly firstSightDepthMax: number
  /** Maximum new tokens queried as of one block, and as many queued ones. */
  readonly askedTokensMax: number
}

/**
 * Metadata to attach to each of some consecutive blocks: of every token that appears and whose
 * first block is not yet deep. Each token that is unknown, or known only from an orphaned block, is
 * queried as of its first block; as of the last block also queued tokens and those that failed
 * before. All queries are concurrent.
 */
export async function metadataToAttach(
  blocks: readonly Block[],
  parts: AttachMetadataOptions,
): Promise<readonly (readonly TokenMetadata[])[]> {
  const { seen, queue, ask, limits, metrics } = parts
  const known = new Map<Address, TokenMetadata>()
  /**
   * Block of the query, for tokens queried here: an earlier block must not contain metadata of a
   * later one, which a fork may orphan alone.
   */
  const toldAt = new Map<Address, number>()
  /**
   * First blocks of tokens, those among `blocks` too: batching must not change what is published.
   */
  const first = new Map<Address, number>()
  const asked = new Set<Address>()
  const wanted = blocks.map((block) => {
    const shown = tokensIn(block).filter((token) => isFresh(token, block.number))
    const unknown = shown.filter((token) => isToAsk(token, block.number))
    const left = unknown.length - limits.askedTokensMax
    if (left > 0) metrics?.questionsDeferred.inc({ kind: 'token', reason: 'bound' }, left)
    const chosen = unknown.slice(0, limits.askedTokensMax)
    for (const token of chosen) asked.add(token)
    const waiting: Address[] = []
    return { block, shown, chosen, waiting }
  })
  const last = wanted.at(-1)
  const due = last ? queue.due(last.block.number, limits.askedTokensMax + asked.size) : []
  last?.waiting.push(...due.filter((token) => !asked.has(token)).slice(0, limits.askedTokensMax))
  const answers = await Promise.all(
    wanted.map(async ({ block, chosen, waiting }) => {
      const tokens = [...chosen, ...waiting]
      if (tokens.length === 0) return
      const answer = await ask(tokens, block.number)
      for (const metadata of answer.metadata) {
        known.set(metadata.address, metadata)
        toldAt.set(metadata.address, block.number)
      }
      return { tokens, answer, block: block.number }
    }),
  )
  for (const it of answers) if (it) noteOutcome(it)
  return wanted.map(({ block, shown, waiting }) =>
    [...new Set([...shown, ...waiting])].flatMap((token) =>
      (toldAt.get(token) ?? block.number) <= block.number ? (known.get(token) ?? []) : [],
    ),
  )

  function isFresh(token: Address, block: number): boolean {
    const sight = seen.of(token)
    if (sight?.metadata && !known.has(token)) known.set(token, sight.metadata)
    const seenAt = first.get(token) ?? sight?.block ?? block
    first.set(token, seenAt)
    return block - seenAt < limits.firstSightDepthMax
  }

  function isToAsk(token: Address, block: number): boolean {
    if (asked.has(token)) return false
    const sight = seen.of(token)
    return queue.isDue(token, block) ?? (!sight?.metadata || sight.isOrphaned)
  }

  function noteOutcome({ tokens, answer, block }: Outcome): void {
    const told = new Set(answer.metadata.map(({ address }) => address))
    const incomplete = new Set([...answer.failed, ...answer.cutOff])
    const cutOff = new Set(answer.cutOff)
    for (const token of tokens) {
      const since = first.get(token) ?? block
      const hasToldPart = told.has(token)
      const isWhole = hasToldPart && !incomplete.has(token)
      const hadNoTurn = cutOff.has(token) && !hasToldPart
      if (!isWhole && !hadNoTurn) queue.failed(token, { block, since, hasToldPart })
    }
  }
}

interface Outcome {
  readonly tokens: readonly Address[]
  readonly answer: TokensResult
  readonly block: number
}
