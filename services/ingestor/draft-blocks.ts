import type { Block, Observation } from '../../libs/chain/block.ts'
import { defaultCoinEmitters } from '../../libs/chain/coin-emitters.ts'
import type { Address } from '../../libs/chain/hex.ts'
import type { TokenMetadata } from '../../libs/chain/token.ts'
import {
  type ChainSource,
  type SourceBlock,
  SourceError,
  type TokensResult,
} from '../../libs/ports/chain-source.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import type { ChainHead } from '../../libs/topics/acceptance.ts'
import { askTokens, blockBefore } from './ask-tokens.ts'
import type { MessageDraft } from './draft.ts'
import type { IngestorLimits } from './ingestor-limits.ts'
import type { LogMemory } from './log-memory.ts'
import { observeBlocks } from './observe-blocks.ts'
import type { Recipients } from './recipients.ts'
import { type SeenTokens, tokensIn } from './seen-tokens.ts'
import type { TokenQueue } from './token-queue.ts'

interface DraftBlocksOptions {
  readonly source: ChainSource
  readonly memory: LogMemory
  readonly recipients: Recipients
  readonly patience: StateRetries
  readonly limits: IngestorLimits
  /** See `observeBlocks`. */
  readonly sampledFrom: number
  /** Addresses whose logs are the coin's own. */
  readonly coinEmitters: readonly Address[]
  readonly metrics: Pick<Metrics, 'questionsDeferred'> | undefined
}

/** The default is not written: messages gain nothing on most chains. */
const withCoinEmitters =
  (coinEmitters: readonly Address[]) =>
  (block: SourceBlock): SourceBlock =>
    coinEmitters.join() === defaultCoinEmitters.join() ? block : { ...block, coinEmitters }

type Asked = Pick<ChainSource, 'hasState' | 'tokens' | 'codes' | 'observe'>

/** Used instead of a source that is not queried. */
const noQuestions: Asked = {
  hasState: false,
  tokens: async (addresses) => ({ metadata: [], failed: [], cutOff: addresses }),
  codes: async () => new Map(),
  observe: async () => null,
}

/**
 * Blocks in a row with all that belongs to them: metadata of their tokens, who has code, what was
 * observed after each, and, before the first block of a log, what was observed before it.
 */
export async function draftBlocks(
  draft: MessageDraft,
  found: readonly SourceBlock[],
  parts: DraftBlocksOptions,
): Promise<void> {
  const blocks = found.map(withCoinEmitters(parts.coinEmitters))
  const { source, memory, recipients, patience, limits, metrics } = parts
  const [first] = blocks
  if (first && memory.accepted.next === null && first.number > 0) {
    draftObservation(draft, await source.observed(first.number - 1, first.parentHash))
  }
  const codeBefore = blockBefore(memory.accepted, first?.number ?? 0)
  const asked = (source: Asked) =>
    Promise.all([
      metadataToAttach(blocks, {
        seen: memory.tokens.seen,
        queue: memory.tokens.queue,
        ask: (tokens, block) => askTokens(source, { tokens, block, before: codeBefore }),
        limits,
        metrics,
      }),
      recipients.contractsIn(blocks, (addresses, block) => source.codes(addresses, block)),
      observeBlocks(blocks, { ...parts, source, memory: memory.tokens }),
    ])
  const answers = await patience.ask(blocks, () => asked(source))
  const [attached, contracts, observations] = answers ?? (await asked(noQuestions))
  for (const [at, { contracts: _shown, ...given }] of blocks.entries()) {
    const extras = { tokens: attached[at] ?? [], contracts: contracts[at] ?? [] }
    const block = { ...given, parentTimestamp: parentTimestampOf(given, draft.head) }
    draft.add((envelope) => ({ ...envelope, kind: 'block.applied', block, ...extras }))
    draftObservation(draft, await source.observed(block.number, block.hash))
    draftObservation(draft, observations[at] ?? null)
  }
}

/** The log knows the time of the block before, also where the source has left that one by now. */
function parentTimestampOf(block: Block, before: ChainHead | null): number | null {
  const known = before?.hash === block.parentHash ? before.timestamp : null
  return known ?? block.parentTimestamp
}

function draftObservation(draft: MessageDraft, observation: Observation | null): void {
  if (observation)
    draft.add((envelope) => ({ ...envelope, kind: 'state.observed', ...observation }))
}

interface PatienceLimits {
  readonly stateTriesMax: number
}

/**
 * Bounds the attempts to query state for a run of blocks: contracts may make a node fail every
 * time, and must not delay the blocks for ever.
 */
export class StateRetries {
  readonly #limits: PatienceLimits
  readonly #signals: Log
  #first: string | undefined
  #tries = 0

  constructor(limits: PatienceLimits, signals: Log) {
    this.#limits = limits
    this.#signals = signals
  }

  /** The result, or null after the last attempt. @throws SourceError on earlier failures */
  async ask<T>(blocks: readonly Block[], question: () => Promise<T>): Promise<T | null> {
    const [first] = blocks
    if (first?.hash !== this.#first) this.#tries = 0
    this.#first = first?.hash
    try {
      return await question()
    } catch (cause) {
      if (!(cause instanceof SourceError)) throw cause
      this.#tries++
      if (this.#tries < this.#limits.stateTriesMax) throw cause
      const [event, runbook] = [events.ingestor.publishedWithoutState, runbooks.unanswered]
      const fields = { event, block: first?.number, count: blocks.length, runbook }
      const sentence = `published without querying contracts, ${this.#tries} tries have failed`
      this.#signals.warn(fields, `${sentence}: ${cause.message}`)
      return null
    }
  }
}

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
async function metadataToAttach(
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
    const answered = new Set(answer.metadata.map(({ address }) => address))
    const incomplete = new Set([...answer.failed, ...answer.cutOff])
    const cutOff = new Set(answer.cutOff)
    for (const token of tokens) {
      const since = first.get(token) ?? block
      const hasPart = answered.has(token)
      const isWhole = hasPart && !incomplete.has(token)
      const hadNoTurn = cutOff.has(token) && !hasPart
      if (!isWhole && !hadNoTurn) queue.failed(token, { block, since, hasPart })
    }
  }
}

interface Outcome {
  readonly tokens: readonly Address[]
  readonly answer: TokensResult
  readonly block: number
}
