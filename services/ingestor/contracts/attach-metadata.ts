import type { Block } from '../../../libs/chain/block.ts'
import type { Address } from '../../../libs/chain/hex.ts'
import { pauses } from '../../../libs/chain/pauses.ts'
import type { TokenMetadata } from '../../../libs/chain/token.ts'
import type { TokensResult } from '../../../libs/ports/chain-source.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { type SeenTokens, tokensIn } from './seen-tokens.ts'
import type { TokenQueue } from './token-queue.ts'

interface AttachMetadataOptions {
  readonly seen: Pick<SeenTokens, 'of'>
  /** New tokens, and those whose words may have changed. */
  readonly queue: TokenQueue
  readonly changed: TokenQueue
  /** Asks contracts, as of a block; see `ChainSource.tokens`. */
  readonly ask: (tokens: readonly Address[], block: number) => Promise<TokensResult>
  readonly limits: AttachMetadataLimits
  readonly metrics: Pick<Metrics, 'questionsDeferred'> | undefined
}

interface AttachMetadataLimits {
  /** Depth of the first block of a token from which on metadata is not attached. */
  readonly firstSightDepthMax: number
  /** Maximum new tokens queried as of one block, and as many queued ones. */
  readonly askedTokensMax: number
  /** Maximum tokens with changed words queried at a time, besides the new ones. */
  readonly changedTokensMax: number
}

interface Wanted {
  readonly block: Block
  /** Tokens that the block contains and whose first block is not deep. */
  readonly shown: readonly Address[]
  /** Tokens to query as of the block that need not be in it. */
  readonly waiting: readonly Address[]
  readonly asked: readonly Address[]
}

/**
 * Metadata to attach to each of some consecutive blocks: of every token that appears and whose
 * first block is not yet deep. Each token that is unknown, or known only from an orphaned block, is
 * queried as of its first block; as of the last block also queued tokens and those that failed
 * before. All queries are concurrent.
 */
export async function metadataToAttach(
  blocks: readonly Block[],
  options: AttachMetadataOptions,
): Promise<readonly (readonly TokenMetadata[])[]> {
  const attaching = new AttachMetadata(options)
  const wanted = await attaching.look(blocks)
  await attaching.ask(wanted)
  return wanted.map((one) => attaching.of(one))
}

class AttachMetadata {
  readonly #options: AttachMetadataOptions
  readonly #known = new Map<Address, TokenMetadata>()
  /**
   * Block of the query, for tokens queried here: an earlier block must not contain metadata of a
   * later one, which a fork may orphan alone.
   */
  readonly #toldAt = new Map<Address, number>()
  /**
   * First blocks of tokens, those among the blocks too: batching must not change what is published.
   */
  readonly #first = new Map<Address, number>()
  readonly #asked = new Set<Address>()

  constructor(options: AttachMetadataOptions) {
    this.#options = options
  }

  /** With pauses: a block may show very many tokens. */
  async look(blocks: readonly Block[]): Promise<readonly Wanted[]> {
    const { limits, metrics } = this.#options
    const pause = pauses()
    const wanted: Wanted[] = []
    for (const [at, block] of blocks.entries()) {
      const shown: Address[] = []
      const chosen: Address[] = []
      let left = 0
      for (const token of await tokensIn(block, pause)) {
        const paused = pause()
        if (paused !== undefined) await paused
        if (!this.#isFresh(token, block.number)) continue
        shown.push(token)
        if (!this.#isToAsk(token, block.number)) continue
        if (chosen.length < limits.askedTokensMax) chosen.push(token)
        else left += 1
      }
      if (left > 0) metrics?.questionsDeferred.inc({ kind: 'token', reason: 'bound' }, left)
      for (const token of chosen) this.#asked.add(token)
      const waiting = at === blocks.length - 1 ? this.#waitingAt(block.number) : []
      wanted.push({ block, shown, waiting, asked: [...chosen, ...waiting] })
    }
    return wanted
  }

  async ask(wanted: readonly Wanted[]): Promise<void> {
    const answers = await Promise.all(
      wanted.map(async ({ block, asked }) => {
        if (asked.length === 0) return
        const answer = await this.#options.ask(asked, block.number)
        for (const metadata of answer.metadata) {
          this.#known.set(metadata.address, metadata)
          this.#toldAt.set(metadata.address, block.number)
        }
        return { tokens: asked, answer, block: block.number }
      }),
    )
    for (const it of answers) if (it) this.#noteOutcome(it)
  }

  of({ block, shown, waiting }: Wanted): readonly TokenMetadata[] {
    return [...new Set([...shown, ...waiting])].flatMap((token) =>
      (this.#toldAt.get(token) ?? block.number) <= block.number
        ? (this.#known.get(token) ?? [])
        : [],
    )
  }

  /** Queued tokens: those with changed words have places of their own, and take none of others. */
  #waitingAt(block: number): readonly Address[] {
    const { queue, changed, limits } = this.#options
    const among = (due: readonly Address[], countMax: number) =>
      due.filter((token) => !this.#asked.has(token)).slice(0, countMax)
    const { askedTokensMax, changedTokensMax } = limits
    const fresh = among(queue.due(block, askedTokensMax + this.#asked.size), askedTokensMax)
    for (const token of fresh) this.#asked.add(token)
    const again = changed.due(block, changedTokensMax + this.#asked.size)
    return [...fresh, ...among(again, changedTokensMax)]
  }

  #isFresh(token: Address, block: number): boolean {
    const sight = this.#options.seen.of(token)
    if (sight?.metadata && !this.#known.has(token)) this.#known.set(token, sight.metadata)
    const seenAt = this.#first.get(token) ?? sight?.block ?? block
    this.#first.set(token, seenAt)
    return block - seenAt < this.#options.limits.firstSightDepthMax
  }

  #isToAsk(token: Address, block: number): boolean {
    if (this.#asked.has(token)) return false
    const sight = this.#options.seen.of(token)
    return this.#options.queue.isDue(token, block) ?? (!sight?.metadata || sight.isOrphaned)
  }

  #noteOutcome({ tokens, answer, block }: Outcome): void {
    const { queue, changed } = this.#options
    const answered = new Set(answer.metadata.map(({ address }) => address))
    const incomplete = new Set([...answer.failed, ...answer.cutOff])
    const cutOff = new Set(answer.cutOff)
    for (const token of tokens) {
      const since = this.#first.get(token) ?? block
      const hasPart = answered.has(token)
      const isWhole = hasPart && !incomplete.has(token)
      const hadNoTurn = cutOff.has(token) && !hasPart
      if (isWhole || hadNoTurn) continue
      const isChanged = queue.isDue(token, block) === undefined && changed.has(token)
      const asked = isChanged ? changed : queue
      asked.failed(token, { block, since, hasPart })
    }
  }
}

interface Outcome {
  readonly tokens: readonly Address[]
  readonly answer: TokensResult
  readonly block: number
}
