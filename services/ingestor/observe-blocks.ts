import type { Observation } from '../../libs/chain/block.ts'
import type { Address } from '../../libs/chain/hex.ts'
import { type Pause, pauses } from '../../libs/chain/pauses.ts'
import type {
  ChainSource,
  SourceBlock,
  StateRef,
  StateRequest,
} from '../../libs/ports/chain-source.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { inTurn } from './balances/in-turn.ts'
import { type NonStandardTokens, touchedBalances } from './balances/non-standard-tokens.ts'
import type { BalanceRef } from './balances/pending-balances.ts'
import { isEmpty, noteOutcome, questionAfter } from './balances/state-questions.ts'
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
    questions.push(questionAfter(block, [...own, ...due, ...recent].map(ofToken)))
  }
  const answers = await Promise.all(questions.map((it) => it && source.observe(it)))
  return answers.map((answer, at) => {
    const question = questions[at]
    if (!question || !answer) return null
    noteOutcome(question, answer, memory)
    return isEmpty(answer.observation) ? null : answer.observation
  })
}

const ofToken = (balance: BalanceRef): StateRef => ({ ...balance, tokenId: null })

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
