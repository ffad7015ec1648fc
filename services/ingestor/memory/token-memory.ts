import type { Block } from '../../../libs/chain/block.ts'
import type { Address } from '../../../libs/chain/hex.ts'
import { type Pause, pauses } from '../../../libs/chain/pauses.ts'
import type { StateRef } from '../../../libs/ports/chain-source.ts'
import type { StateStore } from '../../../libs/ports/state-store.ts'
import type {
  BlockApplied,
  BlockReverted,
  BlocksMessage,
  StateObserved,
} from '../../../libs/topics/blocks.ts'
import { LastOwners, type OwnerMove } from '../balances/last-owners.ts'
import { eachMovedPair } from '../balances/moved-pairs.ts'
import { NamedHolders } from '../balances/named-holders.ts'
import { NonStandardTokens, touchedBalances } from '../balances/non-standard-tokens.ts'
import {
  type BalanceRef,
  type PendingBalanceLimits,
  PendingBalances,
} from '../balances/pending-balances.ts'
import { RecentPairs } from '../balances/recent-pairs.ts'
import { SeenPairs, type SeenPairsLimits } from '../balances/seen-pairs.ts'
import { valuesIn } from '../balances/state-questions.ts'
import { SweptTokens } from '../balances/swept-tokens.ts'
import { wordsMayChangeIn } from '../contracts/changed-words.ts'
import { SeenTokens, tokensIn } from '../contracts/seen-tokens.ts'
import { queueTags, TokenQueue, type TokenQueueLimits } from '../contracts/token-queue.ts'

/** `full`: a table has no more room; `expired`: a token never had a turn while it was new. */
export interface Dropped {
  readonly kind: 'balance' | 'token' | 'pair'
  readonly reason: 'full' | 'expired'
  readonly count: number
}

/** Called when something is not remembered that would have been asked for later. */
export type OnDropped = (forgotten: Dropped) => void

/** Pairs that are kept in memory until they are saved. */
const unsavedPairsMax = 20_000

/** Balances made pending between two pauses. */
const enqueuedPerPiece = 1_000

interface TokenMemoryOptions {
  readonly state: StateStore
  readonly limits: PendingBalanceLimits &
    TokenQueueLimits &
    SeenPairsLimits & { readonly recentPairsMax: number; readonly sweepPeriodSeconds: number }
}

/**
 * What the log contains about tokens, and what it lacks and must be queried. It is derived from the
 * accepted messages alone, of any ingestor; in addition it stores what contracts failed to answer,
 * and losing that costs some queries.
 */
export class TokenMemory {
  readonly seen: SeenTokens
  /** New tokens. */
  readonly queue: TokenQueue
  /** Tokens whose words may have changed. */
  readonly changed: TokenQueue
  readonly nonStandard: NonStandardTokens
  readonly pending: PendingBalances
  readonly recent: RecentPairs
  readonly pairs: SeenPairs
  readonly swept: SweptTokens
  readonly owners: LastOwners
  readonly holders: NamedHolders
  onDropped: OnDropped = () => {}
  readonly #limits: TokenQueueLimits & SeenPairsLimits

  constructor({ state, limits }: TokenMemoryOptions) {
    this.#limits = limits
    this.seen = new SeenTokens(state)
    this.queue = new TokenQueue(state, { ...limits, tag: queueTags.fresh })
    this.changed = new TokenQueue(state, { ...limits, tag: queueTags.changed })
    this.nonStandard = new NonStandardTokens(state)
    this.recent = new RecentPairs(limits)
    this.pairs = new SeenPairs(state, limits)
    this.swept = new SweptTokens(state, limits.sweepPeriodSeconds)
    this.owners = new LastOwners(state)
    this.holders = new NamedHolders(state)
    const hasAnswered = (token: Address) => this.nonStandard.hasAnswered(token)
    this.pending = new PendingBalances(state, limits, hasAnswered)
  }

  /**
   * A message was accepted.
   *
   * @param head the newest block then; null before the first
   * @param pause called where other work can be done: a block may have a million logs
   */
  async note(message: BlocksMessage, head: number | null, pause = pauses()): Promise<void> {
    this.owners.noteMessage(message.sequence)
    switch (message.kind) {
      case 'block.applied':
        await this.#noteBlock(message, pause)
        break
      case 'block.reverted':
        await this.#noteOrphan(message, pause)
        break
      case 'state.observed':
        this.#noteObserved(message, head)
        break
      case 'gap.declared':
        this.pairs.noteGap(message)
        this.owners.forgetAll()
        break
    }
  }

  /** What is not saved takes more memory than it may. */
  get isFull(): boolean {
    return this.pairs.unsavedCount + this.owners.unsavedCount > unsavedPairsMax
  }

  /**
   * Reads what was saved, as far as it is kept in memory.
   * @param sequence of the last message that was taken in
   */
  load(sequence: number): void {
    this.owners.load(sequence)
    this.swept.load()
    this.queue.load()
    this.changed.load()
    this.pending.load()
    this.pairs.load()
    this.holders.load()
  }

  /** @param offset where topic `holders` continues after them */
  noteHolders(pairs: readonly StateRef[], offset: number): void {
    const dropped = pairs.filter((pair) => !this.pairs.noteNamed(pair)).length
    if (dropped > 0) this.onDropped({ kind: 'pair', reason: 'full', count: dropped })
    this.holders.note(offset)
  }

  unsaved(): readonly (readonly [Buffer, Buffer | null])[] {
    return this.#tables.flatMap((table) => [...table.unsaved()])
  }

  saved(): void {
    for (const table of this.#tables) table.saved()
  }

  async forget(): Promise<void> {
    for (const table of this.#tables) await table.forget()
  }

  get #tables() {
    const { seen, queue, changed, nonStandard, pending, pairs, swept, owners, holders } = this
    return [seen, queue, changed, nonStandard, pending, pairs, swept, owners, holders] as const
  }

  async #noteBlock(message: BlockApplied, pause: Pause): Promise<void> {
    const { block, tokens } = message
    const { number } = block
    const isSeen = (token: Address) => this.seen.of(token) !== undefined
    await this.swept.noteBlock(message, { isSeen, gapAt: this.pairs.gapAt, pause })
    const deviates = (token: Address) => this.swept.deviates(token)
    const onOwner = (move: OwnerMove) => {
      if (this.owners.note(move, !this.pairs.isFull)) this.#noteContradicted(move.token, message)
    }
    const noted = await this.pairs.noteBlock(message, { pause, deviates, onOwner })
    if (!noted.isWhole) this.owners.forgetAll()
    if (noted.dropped > 0) this.onDropped({ kind: 'pair', reason: 'full', count: noted.dropped })
    await this.nonStandard.noteAllIn(block, pause)
    await this.recent.note(block, pause)
    this.pending.dropResolved(number)
    const dropped = await this.#enqueue(number, await this.#touchedBy(block, pause), pause)
    if (dropped > 0) this.onDropped({ kind: 'balance', reason: 'full', count: dropped })
    const metadataOf = new Map(tokens.map((metadata) => [metadata.address, metadata]))
    const shown = await tokensIn(block, pause)
    for (const token of new Set([...shown, ...metadataOf.keys()])) {
      await pause()
      const seen = this.seen.note(token, { block: number, metadata: metadataOf.get(token) ?? null })
      if (seen.metadata && !seen.isOrphaned) this.#published(token, seen.metadata.block)
      else if (this.#isNew(seen.block, number)) this.#await(token, seen.block)
    }
    await this.#askAgain(block, { shown, pause })
    const unasked = this.queue.expire(number) + this.changed.expire(number)
    if (unasked > 0) this.onDropped({ kind: 'token', reason: 'expired', count: unasked })
  }

  /** Somebody else than its owner sent an id, unless it is an amount (decision 33). */
  #noteContradicted(token: Address, message: BlockApplied): void {
    const now = message.tokens.find(({ address }) => address === token)
    const metadata = now ?? this.seen.of(token)?.metadata
    const isAmount = (metadata?.decimals ?? 0) > 0
    if ((metadata?.standard ?? (isAmount ? 'ERC-20' : 'ERC-721')) !== 'ERC-721') return
    this.nonStandard.noteDeviating(token)
    this.swept.noteContradicted(token, message)
  }

  async #noteOrphan(message: BlockReverted, pause: Pause): Promise<void> {
    const { block, tokens } = message
    this.pairs.noteOrphan(message)
    this.swept.noteOrphan(message)
    for (const metadata of tokens) {
      this.seen.orphan(metadata, block.number)
      const seen = this.seen.of(metadata.address)
      // Where an earlier block shows it, it need not appear again to be asked again.
      if (seen?.isOrphaned && seen.block < block.number) this.#await(metadata.address, seen.block)
    }
    this.pending.reopen(block.number)
    await this.recent.noteReverted(block, pause)
    const taken = new Set<string>()
    const onOwner = (move: OwnerMove) => this.owners.takeBack(move, taken)
    const idsMax = this.#limits.seenPairsPerBlockMax
    const cut = await eachMovedPair(block, { pause, note: () => taken.size < idsMax, onOwner })
    if (cut === null) this.owners.forgetAll()
  }

  #noteObserved(observation: StateObserved, head: number | null): void {
    this.pending.resolve(observation, head ?? observation.block)
    // From now on all of its pairs are observed whenever they move, and those that do not, too.
    for (const token of this.recent.noteObserved(observation)) {
      this.nonStandard.noteDeviating(token)
      this.swept.noteDeviating(token, observation)
    }
    const { block } = observation
    const isOutdated = (token: Address) => this.swept.isOutdated(token, block)
    this.pairs.noteObserved(observation, { head: head ?? block, isOutdated })
    for (const { token } of valuesIn(observation)) this.nonStandard.noteAnswer(token)
  }

  async #touchedBy(block: Block, pause: Pause): Promise<readonly BalanceRef[]> {
    const touched = await touchedBalances(block, (token) => this.nonStandard.has(token), pause)
    const found: BalanceRef[] = []
    for (const [token, balances] of touched) {
      await pause()
      if (this.nonStandard.isSilent(token, block.number)) continue
      for (const balance of balances) found.push(balance)
    }
    return found
  }

  /** @returns how many were dropped at the bound */
  async #enqueue(block: number, touched: readonly BalanceRef[], pause: Pause): Promise<number> {
    let dropped = 0
    for (let at = 0; at < touched.length; at += enqueuedPerPiece) {
      dropped += this.pending.enqueue(block, touched.slice(at, at + enqueuedPerPiece))
      await pause()
    }
    return dropped
  }

  /** Tokens whose words may have changed in the block, and some whose words are old. */
  async #askAgain(
    block: Block,
    { shown, pause }: { readonly shown: readonly Address[]; readonly pause: Pause },
  ): Promise<void> {
    const { wordsPauseBlocks, wordsAgeBlocks, agedTokensMax } = this.#limits
    const since = block.number
    let full = 0
    for (const token of await wordsMayChangeIn(block, pause)) {
      await pause()
      const { metadata = null } = this.seen.of(token) ?? {}
      if (metadata === null || metadata.block >= since) continue
      const againAt = Math.max(since, metadata.block + wordsPauseBlocks)
      if (!this.changed.ask(token, { since, againAt })) full += 1
    }
    if (full > 0) this.onDropped({ kind: 'token', reason: 'full', count: full })
    let aged = 0
    for (const token of shown) {
      await pause()
      if (aged === agedTokensMax) break
      const { metadata = null } = this.seen.of(token) ?? {}
      if (metadata === null || since - metadata.block < wordsAgeBlocks) continue
      if (this.queue.has(token) || this.changed.has(token)) continue
      this.changed.ask(token, { since, againAt: since })
      aged += 1
    }
  }

  #published(token: Address, block: number): void {
    this.queue.published(token, block)
    this.changed.published(token, block)
  }

  #await(token: Address, since: number): void {
    if (this.queue.add(token, since)) return
    this.onDropped({ kind: 'token', reason: 'full', count: 1 })
  }

  #isNew(since: number, block: number): boolean {
    return block - since < this.#limits.firstSightDepthMax
  }
}
