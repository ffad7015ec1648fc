import type { Head } from '../../libs/presenters/known.ts'
import type { AsksFor, Reading } from './asks.ts'
import type { Dependencies, Depends } from './dependencies.ts'
import type { LargeLoads } from './large-loads.ts'
import { lookUp, type Shared } from './look-up.ts'
import type { RateOrdering } from './rate-ordering.ts'
import { recordedAsks } from './recorded-asks.ts'
import type { Answer, Question, Reader } from './route.ts'
import { type Template, templateOf } from './splices.ts'

/** An answer as it can be kept: what it depends on, and its bytes. */
export interface Drawn {
  readonly depends: Depends
  readonly holds: Holds
  /** Null: it was asked for and is not there. */
  readonly page: DrawnPage | null
}

export interface DrawnPage extends Template {
  readonly headers: Readonly<Record<string, string>>
}

/** The heads at which an answer holds. Times in seconds. */
export interface Holds {
  /** From this time on; null: from ever. */
  readonly from: number | null
  /** Before this time; null: for ever. */
  readonly until: number | null
  /** At this head only; null: at any. */
  readonly at: string | null
}

interface Sources {
  readonly asks: AsksFor
  readonly shared: Shared
  readonly largeLoads: LargeLoads
  readonly rates: RateOrdering
  readonly chainId: number
}

/** An answer as it was read. */
export interface Read extends Drawn {
  /** Older than what was announced, though nothing has moved since: never kept. */
  readonly isBehind: boolean
}

interface How {
  readonly on: Dependencies
  readonly head: Head | null
  readonly signal: AbortSignal
}

/** Answers a question, and writes down what the answer depends on. */
export async function drawn(question: Question, sources: Sources, how: How): Promise<Read> {
  const { signal } = how
  const large = sources.largeLoads.begin(signal)
  try {
    return await readBy(question, sources, { ...how, reading: { signal, large, isBehind: false } })
  } finally {
    large.end()
  }
}

async function readBy(
  question: Question,
  { asks, shared, rates, chainId }: Sources,
  { on, head, reading }: Omit<How, 'signal'> & { reading: Reading },
): Promise<Read> {
  const watched = new WatchedHead(head ?? noHead)
  const recorded = recordedAsks(asks(reading), on, head?.block ?? 0)
  const reader: Reader = {
    asks: recorded,
    chainId,
    tokenStates: (tokens) => shared.tokens(tokens, { on, figures: 'not shown', reading }),
    tokenFacts: (tokens) => shared.tokenFacts(tokens, { on, figures: 'not shown', reading }),
    ordering: (after) => rates.orderingAt(after, { on, reading }),
    know: (needs, figures = 'in steps') =>
      lookUp(
        needs,
        { asks: recorded, shared },
        { head: watched, looking: { on, figures, reading } },
      ),
  }
  const outcome = await question.answer(reader)
  const { isBehind } = reading
  const depends = on.collected
  if (outcome === 'not found') return { depends, holds: always, page: null, isBehind }
  const template =
    'template' in outcome ? outcome.template : templateOf(JSON.stringify(outcome.body))
  const holds = holdsOf(outcome, watched)
  return { depends, holds, page: { ...template, headers: outcome.headers ?? {} }, isBehind }
}

const noHead: Head = { block: 0, time: null }
const always: Holds = { from: null, until: null, at: null }

/** Tells what of the head an answer has looked at. */
class WatchedHead implements Head {
  isBlockSeen = false
  isTimeSeen = false
  readonly #head: Head

  constructor(head: Head) {
    this.#head = head
  }

  get block(): number {
    this.isBlockSeen = true
    return this.#head.block
  }

  get time(): number | null {
    this.isTimeSeen = true
    return this.#head.time
  }

  get name(): string {
    return nameOfHead(this.#head)
  }
}

export const nameOfHead = (head: Head | null): string =>
  head === null ? nameOfHead(noHead) : `${head.block}.${head.time}`

/** What an answer uses of the head without saying how ties it to that head. */
function holdsOf({ isSpliced, turns }: Answer, head: WatchedHead): Holds {
  const isTied =
    (head.isBlockSeen && isSpliced !== true) || (head.isTimeSeen && turns === undefined)
  const { time } = head
  if (isTied || (time === null && turns !== undefined && turns.length > 0)) {
    return { ...always, at: head.name }
  }
  if (turns === undefined || time === null) return always
  const past = turns.filter((turn) => turn <= time)
  const future = turns.filter((turn) => turn > time)
  return {
    ...always,
    from: past.length === 0 ? null : Math.max(...past),
    until: future.length === 0 ? null : Math.min(...future),
  }
}

/** Whether an answer that holds so is as it would be at this head. */
export function holdsAt({ from, until, at }: Holds, head: Head | null): boolean {
  if (at !== null) return at === nameOfHead(head)
  if (from === null && until === null) return true
  const time = head?.time ?? null
  if (time === null) return false
  return (from === null || time >= from) && (until === null || time < until)
}
