import { addressStates } from '../../../libs/queries/addresses.ts'
import { abiEntries } from '../../../libs/queries/contract-abis.ts'
import { coinPrices } from '../../../libs/queries/prices.ts'
import type { Question } from '../../../libs/queries/question.ts'
import { signatureEntries } from '../../../libs/queries/signatures.ts'
import { tokenStates } from '../../../libs/queries/tokens.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import type { InvalidationClock } from '../invalidation/invalidation-clock.ts'
import { addressFacts, tokenFacts } from '../reader/facts.ts'
import type { RunQuestion } from '../reader/run-question.ts'
import { type LookupOptions, RowCache } from './row-cache.ts'

interface SharedRowsOptions {
  readonly run: RunQuestion
  readonly clock: InvalidationClock
  readonly metrics: Metrics
  /** Bound of cached rows, per table. */
  readonly rowsMax: number
  /** The current throttle window. */
  readonly window: () => number | null
}

export type SharedRows = ReturnType<typeof sharedRowsOf>

/** Rows that many pages look up, cached by this process between requests. */
export function sharedRowsOf({ run, clock, metrics, rowsMax, window }: SharedRowsOptions) {
  const cached = <S extends string, R>(
    question: Question<readonly S[], ReadonlyMap<S, R>>,
  ): ((subjects: Iterable<S>, lookup: LookupOptions) => Promise<ReadonlyMap<S, R>>) => {
    const family = question.table.name
    const cache = new RowCache<S, R>({
      ...{ family, clock, rowsMax, window },
      subjectOf: (key) => question.subjects([key])[0] ?? key,
      read: (keys, context) => run(question, keys, context),
      onReads: (outcome, count) => metrics.cacheReads.inc({ cache: family, outcome }, count),
    })
    return (subjects, lookup) => cache.get(subjects, lookup)
  }
  return {
    tokens: cached(tokenStates),
    tokenFacts: cached(tokenFacts),
    addresses: cached(addressStates),
    addressFacts: cached(addressFacts),
    abiEntries: cached(abiEntries),
    signatures: cached(signatureEntries),
    coinPrices: cached(coinPrices),
  }
}
