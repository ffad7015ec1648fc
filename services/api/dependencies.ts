import { bucketOf } from '../../libs/topics/changes.ts'
import { namesOf } from '../../libs/topics/families.ts'
import type { Moment, Moved } from './moved.ts'

/** Buckets of a family above which an answer depends on all of it. */
const bucketsMax = 4_096

/** What an answer was made from; it is as good as new while none of it has moved. */
export interface Depends {
  /** The offset of `changes` up to which the process had heard before it read. */
  readonly since: number
  readonly exactly: Buckets
  /** Families of which any move makes the answer old. */
  readonly wholly: readonly string[]
  /** Shown in steps of chain time: moves count once the step is over. */
  readonly inSteps: Buckets
  /** The step of the answer; null while the chain's time is not known. */
  readonly step: number | null
  /** The oldest reading of what is shown in steps. */
  readonly stepSince: number
}

type Buckets = readonly (readonly [family: string, buckets: readonly number[]])[]

let answers = 0

/** Collects what one answer reads; see `Depends`. */
export class Dependencies {
  /** Tells answers of this process apart. */
  readonly answer = ++answers
  private readonly since: Moment
  /** Of the head's time when the answer was begun. */
  readonly step: number | null
  private readonly exactly = new Map<string, Set<number>>()
  private readonly inSteps = new Map<string, Set<number>>()
  private stepSince: number

  constructor(since: Moment, step: number | null) {
    this.since = since
    this.step = step
    this.stepSince = since.offset
  }

  on(family: string, subjects: Iterable<string>): void {
    collect(this.exactly, family, subjects)
  }

  /** Names at once, figures in steps. @param readAt the offset heard when the oldest was read. */
  inStepsOn(table: string, subjects: Iterable<string>, readAt: number): void {
    const all = [...subjects]
    this.on(namesOf(table), all)
    collect(this.inSteps, table, all)
    this.stepSince = Math.min(this.stepSince, readAt)
  }

  get collected(): Depends {
    const { since, step, stepSince } = this
    const [exactly, inSteps] = [bounded(this.exactly), bounded(this.inSteps)]
    const wholly = [...new Set([...exactly.beyond, ...inSteps.beyond])]
    return {
      since: since.offset,
      exactly: exactly.within,
      wholly,
      inSteps: inSteps.within,
      step,
      stepSince,
    }
  }
}

function collect(
  families: Map<string, Set<number>>,
  family: string,
  subjects: Iterable<string>,
): void {
  const buckets = families.get(family) ?? new Set<number>()
  for (const subject of subjects) buckets.add(bucketOf(subject))
  if (buckets.size > 0) families.set(family, buckets)
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

/** Whether an answer is as new as all that this process has heard. */
export function isStillSo(
  depends: Depends,
  moved: Moved,
  { life, step }: { readonly life: number; readonly step: number | null },
): boolean {
  const since = { life, offset: depends.since }
  const stepSince = { life, offset: depends.stepSince }
  const isInStep = step !== null && depends.step === step
  return (
    depends.exactly.every(([family, buckets]) => moved.areStill(family, buckets, since)) &&
    depends.wholly.every((family) => moved.isWholeStill(family, since)) &&
    (isInStep ||
      depends.inSteps.every(([family, buckets]) => moved.areStill(family, buckets, stepSince)))
  )
}
