import type { Head } from '../../../libs/presenters/lookups.ts'
import type { Answer, ParsedRequest, Reader } from '../endpoints/route.ts'
import type { CollectedDependencies, Dependencies } from '../invalidation/dependencies.ts'
import type { LargeLoads } from '../pages/large-loads.ts'
import type { RateOrdering } from '../reader/rate-ordering.ts'
import type { ReadContext, RunQuestion } from '../reader/run-question.ts'
import { trackedRead } from '../reader/tracked-read.ts'
import type { SharedRows } from '../row-cache/shared-rows.ts'
import { lookUp } from './references.ts'
import { digestOf, type Template, templateOf } from './splices.ts'

/** A page as it is cached: its bytes and what they depend on. */
export interface RenderedPage {
  readonly dependencies: CollectedDependencies
  readonly validFor: ValidFor
  /** Null: not found. */
  readonly body: RenderedBody | null
}

export interface RenderedBody extends Template {
  readonly headers: Readonly<Record<string, string>>
  /** Identifies the template: an ETag needs no hash of the bytes that are sent. */
  readonly digest: string
}

/** The heads for which a page is valid. Times in seconds. */
export interface ValidFor {
  /** From this time on; null: no lower bound. */
  readonly from: number | null
  /** Before this time; null: no upper bound. */
  readonly until: number | null
  /** At this head only; null: at any. */
  readonly at: string | null
}

interface RenderSources {
  readonly run: RunQuestion
  readonly shared: SharedRows
  readonly largeLoads: LargeLoads
  readonly rates: RateOrdering
  readonly chainId: number
  readonly publishedTypes: boolean
}

export interface RenderResult extends RenderedPage {
  /** Read from a replica older than what was announced: must not be cached. */
  readonly isBehind: boolean
}

interface RenderOptions {
  readonly on: Dependencies
  readonly head: Head | null
  readonly signal: AbortSignal
  /** Whose request began the load. */
  readonly client?: () => string
}

/** Renders the answer to a request, recording what it depends on. */
export async function renderPage(
  request: ParsedRequest,
  sources: RenderSources,
  options: RenderOptions,
): Promise<RenderResult> {
  const { on, head, signal, client } = options
  const large = sources.largeLoads.begin({ signal, client })
  try {
    return await render(request, sources, {
      on,
      head,
      context: { signal, large, isBehind: false },
    })
  } finally {
    large.end()
  }
}

async function render(
  request: ParsedRequest,
  { run, shared, rates, chainId, publishedTypes }: RenderSources,
  { on, head, context }: Pick<RenderOptions, 'on' | 'head'> & { context: ReadContext },
): Promise<RenderResult> {
  const trackedHead = new TrackedHead(head ?? noHead)
  const read = trackedRead(run, { on, headBlock: head?.block ?? 0, context })
  const reader: Reader = {
    read,
    chainId,
    publishedTypes,
    tokenStates: (tokens) => shared.tokens(tokens, { on, stats: 'unused', context }),
    tokenFacts: (tokens) => shared.tokenFacts(tokens, { on, stats: 'unused', context }),
    ordering: (after) => rates.orderingAt(after, { on, context }),
    lookUp: (references, stats = 'throttled') =>
      lookUp(references, { read, shared }, { head: trackedHead, options: { on, stats, context } }),
  }
  const outcome = await request.answer(reader)
  const { isBehind } = context
  const dependencies = on.collected
  if (outcome === 'not found') return { dependencies, validFor: always, body: null, isBehind }
  const template =
    'template' in outcome ? outcome.template : templateOf(JSON.stringify(outcome.body))
  const validFor = validForHeads(outcome, trackedHead)
  const body = { ...template, headers: outcome.headers ?? {}, digest: digestOf(template) }
  return { dependencies, validFor, body, isBehind }
}

const noHead: Head = { block: 0, time: null }
const always: ValidFor = { from: null, until: null, at: null }

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

const keyOfHead = (head: Head | null): string =>
  head === null ? keyOfHead(noHead) : `${head.block}.${head.time}`

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

/** Whether a page would be the same at this head. */
export function isValidAt({ from, until, at }: ValidFor, head: Head | null): boolean {
  if (at !== null) return at === keyOfHead(head)
  if (from === null && until === null) return true
  const time = head?.time ?? null
  if (time === null) return false
  return (from === null || time >= from) && (until === null || time < until)
}
