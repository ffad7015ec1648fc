import type { Cache } from '../../libs/ports/cache.ts'
import type { OnClose } from '../../libs/ports/http.ts'
import type { Head } from '../../libs/presenters/known.ts'
import { Dependencies, isStillSo } from './dependencies.ts'
import { type Drawn, holdsAt, type Read } from './drawn.ts'
import { fromShared, toShared } from './kept-form.ts'
import type { Moment, Moved } from './moved.ts'
import type { Load, PageLoads } from './page-loads.ts'
import { type Content, tagged } from './reply.ts'
import { heardUpTo } from './same-log.ts'
import { SegmentedCache } from './segmented-cache.ts'
import { finished } from './splices.ts'

interface Form {
  readonly moved: Moved
  /** Null until there is a first block. */
  readonly head: () => Head | null
  /** The step of chain time that it is now. */
  readonly step: () => number | null
  /** Answers kept in this process, all together. */
  readonly bytesMax: number
  readonly loads: PageLoads
  /** Shared by all processes that answer; none in the embedded form. */
  readonly cache?: Cache
  /** What else an answer's bytes depend on: begins every name in the shared cache. */
  readonly version: string
  readonly onRead?: (cache: 'pages' | 'shared pages', outcome: 'hit' | 'miss') => void
}

/** Answers a question, writing down what the answer depends on. */
type Draw = (how: {
  on: Dependencies
  head: Head | null
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal
}) => Promise<Read>

/** An answer, and the newest block that is in it. */
export interface Page {
  /** Null for what is not there. */
  readonly content: Content | null
  /** What its confirmations are counted with. */
  readonly head: Head | null
}

interface Kept {
  readonly drawn: Drawn
  /** When it was read. */
  readonly head: Head | null
  readonly life: number
  /** When it was last found to be valid: nothing was heard since, nothing is to be checked. */
  checkedAt: Moment | null
  finished: { readonly block: number; readonly content: Content } | null
}

interface Flight {
  readonly begun: Moment
  readonly load: Load<Kept>
}

/** What an entry takes besides its bytes, about. */
const entryOverheadBytes = 1_000
/** What the same bytes take compressed, at most: hex digits that nothing predicts. */
const gzipShare = 0.6
const dependencyBytes = 8
/** Of an answer that is never valid. */
const noLife = -1
/** Announcements that another process may have heard before this one. */
const aheadMax = 1_024

/**
 * Answers by question: in this process, then in the cache that all processes share, then from the
 * tables. Both caches obey one rule: an answer is valid while nothing that it depends on was
 * announced since it was read. Equal questions that come while one is being answered wait for it.
 */
export class Pages {
  private readonly form: Form
  private readonly kept: SegmentedCache<Kept>
  private readonly flights = new Map<string, Flight>()

  constructor(form: Form) {
    this.form = form
    this.kept = new SegmentedCache({
      sizeMax: form.bytesMax,
      sizeOf: (kept, name) => sizeOf(kept) + name.length,
    })
  }

  /** What is known in this process and still so. */
  held(question: string): Page | null {
    const known = this.kept.peek(question)
    if (known === undefined || !this.isValid(known)) return null
    this.kept.use(question)
    this.form.onRead?.('pages', 'hit')
    return this.pageOf(known)
  }

  /** @throws Overloaded, ClientGone, and what the answer throws */
  async get(question: string, draw: Draw, onGone?: OnClose): Promise<Page> {
    const held = this.held(question)
    if (held !== null) return held
    this.form.onRead?.('pages', 'miss')
    const arrival = this.form.moved.now
    // A flight that began before this question came may have read before what was heard meanwhile.
    for (let flight = this.flights.get(question); flight; flight = this.flights.get(question)) {
      const landed = await this.form.loads.wait(flight.load, { isFirst: false, onGone })
      if (isSince(flight.begun, arrival) || this.isValid(landed)) return this.pageOf(landed)
    }
    const load = this.fly(question, draw)
    return this.pageOf(await this.form.loads.wait(load, { isFirst: true, onGone }))
  }

  private fly(question: string, draw: Draw): Load<Kept> {
    const load = this.form.loads.begin({
      work: (signal) => this.find(question, draw, signal),
      ended: () => this.flights.delete(question),
    })
    this.flights.set(question, { begun: this.form.moved.now, load })
    return load
  }

  private async find(question: string, draw: Draw, signal: AbortSignal): Promise<Kept> {
    const { moved, step, cache, version } = this.form
    const name = `${version}|${question}`
    const shared = cache === undefined ? null : await this.shared(cache, name)
    if (shared !== null) {
      this.kept.set(question, shared)
      return shared
    }
    // Noted before the tables are read: what is announced meanwhile makes the answer old.
    const moment = moved.now
    const head = this.form.head()
    const how = { on: new Dependencies(moment, step()), head, signal }
    const { isBehind, ...drawn } = await draw(how)
    const life = isBehind ? noLife : moment.life
    const kept: Kept = { drawn, head, life, checkedAt: null, finished: null }
    if (!this.isValid(kept)) return kept
    this.kept.set(question, kept)
    const { since } = drawn.depends
    void cache?.set([[name, { bytes: toShared(drawn), position: since }], heardUpTo(since)])
    return kept
  }

  private async shared(cache: Cache, name: string): Promise<Kept | null> {
    const [entry] = await cache.get([name])
    const { life, offset } = this.form.moved.now
    const head = this.form.head()
    const drawn = entry === undefined ? null : fromShared(entry.bytes)
    const isOfThisLog = drawn !== null && drawn.depends.since <= offset + aheadMax
    const kept = isOfThisLog ? { drawn, head, life, checkedAt: null, finished: null } : null
    const isHit = kept !== null && this.isValid(kept)
    this.form.onRead?.('shared pages', isHit ? 'hit' : 'miss')
    return isHit ? kept : null
  }

  /** Whether it is as new as all that this process has heard. */
  private isValid(kept: Kept): boolean {
    const { moved, step, head } = this.form
    const { now } = moved
    if (kept.checkedAt === now) return true
    if (kept.life !== now.life) return false
    const { depends, holds } = kept.drawn
    const at = { life: kept.life, step: step() }
    if (!isStillSo(depends, moved, at) || !holdsAt(holds, head())) return false
    kept.checkedAt = now
    return true
  }

  /** As of now; what moved while it was read leaves it as of when its reading began. */
  private pageOf(kept: Kept): Page {
    const head = this.isValid(kept) ? this.form.head() : kept.head
    return { content: this.contentOf(kept, head), head }
  }

  /** Finished once a head, then sent as it is. */
  private contentOf(kept: Kept, head: Head | null): Content | null {
    const { page } = kept.drawn
    if (page === null) return null
    const block = page.confirmations.length === 0 ? 0 : (head?.block ?? 0)
    if (kept.finished?.block !== block) {
      kept.finished = { block, content: tagged(finished(page, block), page.headers) }
    }
    return kept.finished.content
  }
}

const isSince = (moment: Moment, other: Moment): boolean =>
  moment.life === other.life && moment.offset >= other.offset

function sizeOf({ drawn: { depends, page } }: Kept): number {
  const buckets = [...depends.exactly, ...depends.inSteps]
  const dependencies = buckets.reduce((sum, [, of]) => sum + of.length, 0)
  const isTwice = page !== null && page.confirmations.length > 0
  const bytes = (page?.body.length ?? 0) * ((isTwice ? 2 : 1) + gzipShare)
  return Math.ceil(entryOverheadBytes + dependencies * dependencyBytes + bytes)
}
