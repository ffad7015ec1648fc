import { namesOf } from '../../../libs/tables/declare/table.ts'
import { bucketOf } from '../../../libs/topics/changes.ts'
import type { ChangesOffset, InvalidationClock } from './invalidation-clock.ts'

/** Buckets of a family above which an answer depends on the whole family. */
const bucketsMax = 4_096

/** What an answer was made from; it is current until one of them changes. */
export interface CollectedDependencies {
  /** The offset of `changes` that the process had consumed before it read. */
  readonly since: number
  readonly exactly: Buckets
  /** Families of which any change makes the answer stale. */
  readonly wholly: readonly string[]
  /** Throttled stats: their changes count once the window of chain time is over. */
  readonly throttled: Buckets
  /** The window of the answer; null while the chain's time is unknown. */
  readonly window: number | null
  /** The offset of the oldest read of throttled stats. */
  readonly throttledSince: number
}

export type Buckets = readonly (readonly [family: string, buckets: ArrayLike<number>])[]

let answers = 0

/** Collects what one answer reads; see `CollectedDependencies`. */
export class Dependencies {
  /** Distinguishes answers of this process. */
  readonly answer = ++answers
  private readonly since: ChangesOffset
  /** Of the head's time when the answer was started. */
  readonly window: number | null
  private readonly exactly = new Map<string, Set<number>>()
  private readonly throttled = new Map<string, Set<number>>()
  private throttledSince: number

  constructor(since: ChangesOffset, window: number | null) {
    this.since = since
    this.window = window
    this.throttledSince = since.offset
  }

  on(family: string, subjects: readonly string[]): void {
    collect(this.exactly, family, subjects)
  }

  /** On names exactly, on stats by window. @param readAt the offset at the oldest read. */
  onThrottled(table: string, subjects: readonly string[], readAt: number): void {
    this.on(namesOf(table), subjects)
    collect(this.throttled, table, subjects)
    this.throttledSince = Math.min(this.throttledSince, readAt)
  }

  get collected(): CollectedDependencies {
    const { since, window, throttledSince } = this
    const [exactly, throttled] = [bounded(this.exactly), bounded(this.throttled)]
    const wholly = [...new Set([...exactly.beyond, ...throttled.beyond])]
    return {
      since: since.offset,
      exactly: exactly.within,
      wholly,
      throttled: throttled.within,
      window,
      throttledSince,
    }
  }
}

function collect(
  families: Map<string, Set<number>>,
  family: string,
  subjects: readonly string[],
): void {
  if (subjects.length === 0) return
  const buckets = families.get(family) ?? new Set<number>()
  for (const subject of subjects) buckets.add(bucketOf(subject))
  families.set(family, buckets)
}

function bounded(families: ReadonlyMap<string, ReadonlySet<number>>) {
  const all = [...families]
  return {
    within: all
      .filter(([, buckets]) => buckets.size <= bucketsMax)
      .map(([family, buckets]) => [family, [...buckets]] as const),
    beyond: all.filter(([, buckets]) => buckets.size > bucketsMax).map(([family]) => family),
  }
}

/** Whether no change of what an answer was made from has been consumed. */
export function areCurrent(
  dependencies: CollectedDependencies,
  clock: InvalidationClock,
  { epoch, window }: { readonly epoch: number; readonly window: number | null },
): boolean {
  const { exactly, wholly, throttled } = dependencies
  const since = { epoch, offset: dependencies.since }
  const throttledSince = { epoch, offset: dependencies.throttledSince }
  const isInWindow = window !== null && dependencies.window === window
  return (
    exactly.every(([family, buckets]) => clock.areUnchanged(family, buckets, since)) &&
    wholly.every((family) => clock.isFamilyUnchanged(family, since)) &&
    (isInWindow ||
      throttled.every(([family, buckets]) => clock.areUnchanged(family, buckets, throttledSince)))
  )
}
