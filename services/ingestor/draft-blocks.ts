import type { Block, Observation } from '../../libs/chain/block.ts'
import { defaultCoinEmitters } from '../../libs/chain/coin-emitters.ts'
import type { Address, Hash } from '../../libs/chain/hex.ts'
import { type ChainSource, type SourceBlock, SourceError } from '../../libs/ports/chain-source.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import type { ChainHead } from '../../libs/topics/acceptance.ts'
import { askTokens, blockBefore } from './contracts/ask-tokens.ts'
import { metadataToAttach } from './contracts/attach-metadata.ts'
import type { MessageDraft } from './draft.ts'
import type { IngestorLimits } from './memory/ingestor-limits.ts'
import type { LogMemory } from './memory/log-memory.ts'
import { observeBlocks } from './observe-blocks.ts'
import type { Recipients } from './recipients.ts'

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
  /** When new blocks were first there. */
  readonly seen?: ReadonlyMap<Hash, number>
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
        changed: memory.tokens.changed,
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
    const seen = parts.seen?.get(block.hash)
    draft.add((envelope) => ({ ...envelope, kind: 'block.applied', block, ...extras }), seen)
    draftObservation(draft, await source.observed(block.number, block.hash))
    draftObservation(draft, observations[at] ?? null)
  }
}

/** The log knows the time of the block before, also where the source has left that one by now. */
function parentTimestampOf(block: Block, before: ChainHead | null): number | null {
  const known = before?.hash === block.parentHash ? before.timestamp : null
  return known ?? block.parentTimestamp
}

export function draftObservation(draft: MessageDraft, observation: Observation | null): void {
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
  readonly #log: Log
  #first: string | undefined
  #tries = 0

  constructor(limits: PatienceLimits, log: Log) {
    this.#limits = limits
    this.#log = log
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
      this.#log.warn(fields, `${sentence}: ${cause.message}`)
      return null
    }
  }
}
