import { ResultTooLarge } from '../../../../libs/ports/store.ts'
import type { Lookups } from '../../../../libs/presenters/lookups.ts'
import { countWithin } from '../../../../libs/queries/reading/read-limits.ts'
import type { References } from '../../rows/references.ts'
import { listBody, pageCostMax } from './list-body.ts'
import type {
  AnswerForms,
  Hydrated,
  ListSteps,
  Outcome,
  PageSteps,
  Reader,
  Requested,
  Skeleton,
  Steps,
} from './steps.ts'

/** What a request is answered from. */
export interface AnswerSources extends AnswerForms {
  readonly reader: Reader
  readonly lookUp: (references: References, stats: 'exact' | 'throttled') => Promise<Lookups>
}

/** Takes a request through the steps of an endpoint without pages. */
export async function answerPage<S, P, K, R>(
  steps: PageSteps<S, P, K, R>,
  request: Requested<S, P>,
  sources: AnswerSources,
): Promise<Outcome> {
  const skeleton = await steps.list(request, sources.reader)
  if (skeleton === 'not found') return skeleton
  const shown = skeleton.rows
  return steps.present(await hydrated(steps, { skeleton, shown, ...request }, sources))
}

/** The same for one with pages: fewer items than requested if they cost much, at least one. */
export async function answerList<S, P extends { readonly size: number }, K, R>(
  steps: ListSteps<S, P, K, R>,
  request: Requested<S, P>,
  sources: AnswerSources,
): Promise<Outcome> {
  const skeleton = await steps.list(request, sources.reader)
  if (skeleton === 'not found') return skeleton
  const { rows } = skeleton
  const costOf = steps.costOf?.(skeleton) ?? (() => 0)
  const count = Math.min(request.requested.size, countWithin(rows, costOf, pageCostMax))
  const page = { skeleton, shown: rows.slice(0, count), ...request }
  const made = await hydrated(steps, page, sources)
  const { item, cursorAfter, options } = steps.present
  const { template, shown } = await listBody(rows, made.shown, {
    item: (row) => item(row, made),
    cursorAfter: (cut) => cursorAfter(cut, made),
  })
  return { template, ...options?.(shown, skeleton) }
}

/** Looks up what the rows refer to: of fewer rows where the result would be too large. */
async function hydrated<S, P, K, R>(
  { hydrate, stats }: Steps<S, P, K, R>,
  page: { readonly skeleton: Skeleton<K, R>; readonly shown: readonly R[]; readonly requested: P },
  { lookUp, chainId, publishedTypes }: AnswerSources,
): Promise<Hydrated<P, K, R>> {
  const { skeleton, requested } = page
  let { shown } = page
  for (;;) {
    try {
      const lookups = await lookUp(hydrate(shown, skeleton), stats ?? 'throttled')
      return { skeleton, requested, shown, lookups, chainId, publishedTypes }
    } catch (error) {
      if (!(error instanceof ResultTooLarge) || shown.length <= 1) throw error
      shown = shown.slice(0, Math.ceil(shown.length / 4))
    }
  }
}
