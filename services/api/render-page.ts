import type { Head } from '../../libs/presenters/lookups.ts'
import type { Dependencies } from './clock/dependencies.ts'
import type { PageCall } from './endpoints/pipeline/route.ts'
import type { Answer, Reader } from './endpoints/pipeline/steps.ts'
import { always, keyOfHead, noHead, type RenderResult, type ValidFor } from './pages/page.ts'
import { digestOf, templateOf } from './response/splices.ts'
import type { LargeLoads } from './rows/large-loads.ts'
import { lookUp } from './rows/look-up.ts'
import type { RateOrdering } from './rows/rate-ordering.ts'
import { References } from './rows/references.ts'
import type { ReadContext, RunQuestion } from './rows/run-question.ts'
import type { SharedRows } from './rows/shared-rows.ts'
import { trackedRead } from './rows/tracked-read.ts'

interface RenderSources {
  readonly run: RunQuestion
  readonly shared: SharedRows
  readonly largeLoads: LargeLoads
  readonly rates: RateOrdering
  readonly chainId: number
  readonly publishedTypes: boolean
}

interface RenderOptions {
  readonly on: Dependencies
  readonly head: Head | null
  readonly signal: AbortSignal
  /** Whose request began the load. */
  readonly client?: () => string
}

/** The page of a call: what its endpoint makes of it, and what that depends on. */
export async function renderPage(
  call: PageCall,
  sources: RenderSources,
  options: RenderOptions,
): Promise<RenderResult> {
  const { on, head, signal, client } = options
  const large = sources.largeLoads.begin({ signal, client })
  try {
    return await render(call, sources, {
      on,
      head,
      context: { signal, large, isBehind: false },
    })
  } finally {
    large.end()
  }
}

async function render(
  call: PageCall,
  { run, shared, rates, chainId, publishedTypes }: RenderSources,
  { on, head, context }: Pick<RenderOptions, 'on' | 'head'> & { context: ReadContext },
): Promise<RenderResult> {
  const trackedHead = new TrackedHead(head ?? noHead)
  const read = trackedRead(run, { on, headBlock: head?.block ?? 0, context })
  const lookUpBy = (references: References, stats: 'exact' | 'throttled') =>
    lookUp(references, { read, shared }, { head: trackedHead, options: { on, stats, context } })
  const reader: Reader = {
    read,
    tokenStates: (tokens) => shared.tokens(tokens, { on, stats: 'unused', context }),
    tokenFacts: (tokens) => shared.tokenFacts(tokens, { on, stats: 'unused', context }),
    ordering: (after) => rates.orderingAt(after, { on, context }),
    isToken: async (address) =>
      (await lookUpBy(new References().token(address), 'throttled')).token(address) !== null,
  }
  const outcome = await call.answer({ reader, lookUp: lookUpBy, chainId, publishedTypes })
  const { isBehind } = context
  const dependencies = on.collected
  if (outcome === 'not found') return { dependencies, validFor: always, body: null, isBehind }
  const template =
    'template' in outcome ? outcome.template : templateOf(JSON.stringify(outcome.body))
  const validFor = validForHeads(outcome, trackedHead)
  const body = { ...template, headers: outcome.headers ?? {}, digest: digestOf(template) }
  return { dependencies, validFor, body, isBehind }
}

/** Records which fields of the head an answer has read. */
class TrackedHead implements Head {
  isBlockRead = false
  isTimeRead = false
  readonly #head: Head

  constructor(head: Head) {
    this.#head = head
  }

  get block(): number {
    this.isBlockRead = true
    return this.#head.block
  }

  get time(): number | null {
    this.isTimeRead = true
    return this.#head.time
  }

  get key(): string {
    return keyOfHead(this.#head)
  }
}

/** An answer that reads the head without declaring how is valid at that head only. */
function validForHeads({ isSpliced, transitionTimes }: Answer, head: TrackedHead): ValidFor {
  const isUndeclared =
    (head.isBlockRead && isSpliced !== true) || (head.isTimeRead && transitionTimes === undefined)
  const { time } = head
  if (isUndeclared || (time === null && (transitionTimes ?? []).length > 0)) {
    return { ...always, at: head.key }
  }
  if (transitionTimes === undefined || time === null) return always
  const past = transitionTimes.filter((transition) => transition <= time)
  const future = transitionTimes.filter((transition) => transition > time)
  return {
    ...always,
    from: past.length === 0 ? null : Math.max(...past),
    until: future.length === 0 ? null : Math.min(...future),
  }
}
