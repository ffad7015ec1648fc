import type { Address } from '../../libs/chain/hex.ts'
import type { Observation } from '../../libs/chain/observation.ts'
import type { ChainSource, SourceBlock } from '../../libs/ports/node.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { IngestorLimits } from './ingestor-limits.ts'
import type { LogMemory } from './log-memory.ts'
import { questionsAfter, withBalances } from './questions.ts'

export interface ObservingParts {
  readonly source: Pick<ChainSource, 'hasState' | 'observe'>
  readonly memory: LogMemory
  readonly limits: IngestorLimits
  readonly signals: Log
}

/**
 * The balances that transfers cannot explain, as of each block that touches them; after the last
 * one also those that the node could not tell for an older block.
 */
export async function observedAfter(
  blocks: readonly SourceBlock[],
  parts: ObservingParts,
): Promise<readonly (Observation | null)[]> {
  const { source, memory, limits } = parts
  if (!source.hasState) return []
  const deviates = (token: Address) => memory.deviating.has(token)
  const own = blocks.map((block) => {
    memory.deviating.noteAllIn(block)
    const { question, leftOut } = questionsAfter(block, deviates, limits.observedBalancesMax)
    warnOf(leftOut, block.number, parts)
    return question
  })
  const questions = own.map((question, at) => {
    const block = at === own.length - 1 ? blocks[at] : undefined
    const asked = question?.balances.length ?? 0
    const due = block ? memory.owed.due(limits.observedBalancesMax - asked) : []
    return block && due.length > 0 ? withBalances(block, question, due) : question
  })
  const said = await Promise.all(questions.map((it) => it && source.observe(it)))
  said.forEach((answer, at) => {
    const { balances = [] } = questions[at] ?? {}
    if (answer) memory.owed.release(balances, answer.observation)
    else warnOf(memory.owed.owe(own[at]?.balances ?? []), blocks[at]?.number ?? 0, parts)
  })
  return said.map((answer) => answer?.observation ?? null)
}

function warnOf(leftOut: number, block: number, { signals }: ObservingParts): void {
  if (leftOut === 0) return
  const fields = { event: events.ingestor.leftOut, block, count: leftOut }
  signals.warn(fields, `${leftOut} balances are not asked for: unknown where they deviate`)
}
