import type { Observation } from '../../libs/chain/block.ts'
import type { Address } from '../../libs/chain/hex.ts'
import { type Pause, pauses } from '../../libs/chain/pauses.ts'
import type {
  ChainSource,
  SourceBlock,
  StateRequest,
  StateResult,
} from '../../libs/ports/chain-source.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { type NonStandardTokens, touchedBalances } from './balances/non-standard-tokens.ts'
import type { BalanceRef } from './balances/pending-balances.ts'
import type { IngestorLimits } from './memory/ingestor-limits.ts'
import type { TokenMemory } from './memory/token-memory.ts'

interface ObserveBlocksOptions {
  readonly source: Pick<ChainSource, 'hasState' | 'observe'>
  readonly memory: Pick<TokenMemory, 'nonStandard' | 'pending' | 'recent'>
  /** The first block after which a sample of recently moved balances is observed. */
  readonly sampledFrom: number
  readonly limits: IngestorLimits
  readonly metrics: Pick<Metrics, 'questionsDeferred'> | undefined
  /** Called where other work can be done. */
  readonly pause?: Pause
}

/**
 * Balances that transfers do not explain, as of each block that touches them; after the last block
 * also some pending ones of older blocks; near the head a sample of all others. What is not queried
 * or not answered stays pending, see `PendingBalances`.
 */
export async function observeBlocks(
  blocks: readonly SourceBlock[],
  parts: ObserveBlocksOptions,
): Promise<readonly (Observation | null)[]> {
  const { source, memory, pause = pauses() } = parts
  if (!source.hasState) return []
  const questions: (StateRequest | null)[] = []
  for (const [at, block] of blocks.entries()) {
    const own = await ownBalances(block, parts, pause)
    const isLast = at === blocks.length - 1
    const due = isLast ? dueBalances(block.number, parts) : []
    await pause()
    const recent = await sampled({ block, earlier: blocks.slice(0, at), pause }, parts)
    questions.push(questionAfter(block, [...own, ...due, ...recent]))
  }
  const answers = await Promise.all(questions.map((it) => it && source.observe(it)))
  return answers.map((answer, at) => {
    const question = questions[at]
    if (!question || !answer) return null
    noteOutcome(question, answer, memory)
    const { balances, supplies } = answer.observation
    return balances.length + supplies.length > 0 ? answer.observation : null
  })
}

interface Sampled {
  readonly block: SourceBlock
  readonly earlier: readonly SourceBlock[]
  readonly pause: Pause
}

async function sampled(
  { block, earlier, pause }: Sampled,
  { memory: { recent, nonStandard }, limits, sampledFrom }: ObserveBlocksOptions,
): Promise<readonly BalanceRef[]> {
  if (block.number < sampledFrom) return []
  const isAskable = (token: Address) => !nonStandard.isPaused(token, block.number)
  return recent.sample({ block, earlier, countMax: limits.sampledCallsMax, isAskable, pause })
}

/** Pending balances of older blocks that may be queried now. */
function dueBalances(
  block: number,
  { memory, limits }: ObserveBlocksOptions,
): readonly BalanceRef[] {
  const { pending, nonStandard } = memory
  const countMaxOf = (token: Address) => countMaxAt(token, { block, nonStandard, limits })
  return inTurn(pending.due({ countMax: limits.dueBalancesMax, countMaxOf }), limits.dueBalancesMax)
}

interface Asking {
  readonly block: number
  readonly nonStandard: NonStandardTokens
  readonly limits: IngestorLimits
}

/** Most contracts with deposits are not tokens: unanswered ones are probed with a few balances. */
function countMaxAt(token: Address, { block, nonStandard, limits }: Asking): number {
  if (nonStandard.isPaused(token, block)) return 0
  return nonStandard.hasAnswered(token) ? Number.POSITIVE_INFINITY : limits.probedBalancesMax
}

/** Queries for the balances that a block changes: round-robin by token, up to the limit. */
async function ownBalances(
  block: SourceBlock,
  { memory: { nonStandard }, limits, metrics }: ObserveBlocksOptions,
  pause: Pause,
): Promise<readonly BalanceRef[]> {
  await nonStandard.noteAllIn(block, pause)
  const touched = await touchedBalances(block, (token) => nonStandard.has(token), pause)
  const asking = { block: block.number, nonStandard, limits }
  const known: (readonly BalanceRef[])[] = []
  const unknown: (readonly BalanceRef[])[] = []
  let wanted = 0
  for (const [token, balances] of touched) {
    await pause()
    const countMax = countMaxAt(token, asking)
    if (countMax === 0) continue
    const list = balances.slice(0, countMax)
    wanted += list.length
    if (nonStandard.hasAnswered(token)) known.push(list)
    else unknown.push(list)
  }
  const probed = unknown.slice(0, limits.probedTokensMax)
  const asked = inTurn([...known, ...probed], limits.observedBalancesMax)
  const left = wanted - asked.length
  if (left > 0) metrics?.questionsDeferred.inc({ kind: 'balance', reason: 'bound' }, left)
  return asked
}

/** Round-robin over the lists, so that none starves the others. */
function inTurn<T>(lists: readonly (readonly T[])[], countMax: number): readonly T[] {
  const taken: T[] = []
  const longest = Math.max(0, ...lists.map((list) => list.length))
  for (let at = 0; at < longest && taken.length < countMax; at++) {
    for (const list of lists) {
      const [item] = list.slice(at, at + 1)
      if (item !== undefined && taken.length < countMax) taken.push(item)
    }
  }
  return taken
}

function questionAfter(
  { number, hash }: SourceBlock,
  asked: readonly BalanceRef[],
): StateRequest | null {
  if (asked.length === 0) return null
  const balances = new Map<string, StateRequest['balances'][number]>()
  const supplies = new Set<Address>()
  for (const { token, holder } of asked) {
    if (holder === null) supplies.add(token)
    else balances.set(token + holder, { token, holder })
  }
  return { block: number, hash, balances: [...balances.values()], supplies: [...supplies] }
}

/** A rejected balance is not pending any more; a silent contract is treated as not a token. */
function noteOutcome(
  question: StateRequest,
  { observation, unanswered, failed }: StateResult,
  { nonStandard, pending }: ObserveBlocksOptions['memory'],
): void {
  const asked: BalanceRef[] = [
    ...question.balances,
    ...question.supplies.map((token) => ({ token, holder: null })),
  ]
  const keyOf = ({ token, holder }: BalanceRef) => token + (holder ?? '')
  const observed = new Set([
    ...observation.balances.map(keyOf),
    ...observation.supplies.map(({ token }) => keyOf({ token, holder: null })),
  ])
  const open = new Set(unanswered.map(keyOf))
  const answering = new Set(asked.filter((it) => observed.has(keyOf(it))).map(({ token }) => token))
  const waiting = new Set(unanswered.map(({ token }) => token))
  for (const token of new Set(asked.map((it) => it.token))) {
    if (failed.includes(token)) nonStandard.noteAsked(token, question.block, 'failed')
    else if (answering.has(token)) nonStandard.noteAsked(token, question.block, 'answered')
    else if (!waiting.has(token) && !nonStandard.hasAnswered(token)) {
      nonStandard.noteAsked(token, question.block, 'silent')
      pending.dropToken(token)
    }
  }
  for (const balance of asked) {
    const key = keyOf(balance)
    if (!observed.has(key) && !open.has(key)) pending.drop(balance)
  }
}
