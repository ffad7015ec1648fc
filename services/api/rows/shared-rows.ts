import { setImmediate } from 'node:timers/promises'
import type { Address } from '../../../libs/chain/hex.ts'
import {
  type AddressFacts,
  addressFactsOf,
  type InstanceFacts,
  instanceFactsOf,
  type TokenFacts,
  tokenFactsOf,
} from '../../../libs/presenters/facts.ts'
import { abiEntries } from '../../../libs/queries/contract-abis.ts'
import {
  type InstanceKey,
  instanceKey,
  metadataOfInstances,
} from '../../../libs/queries/instances/instances.ts'
import { keyedQuestion, type Question } from '../../../libs/queries/reading/question.ts'
import {
  addressStates,
  coinPrices,
  labelRows,
  marketRows,
  tokenStates,
} from '../../../libs/queries/rows-by-key/rows-by-key.ts'
import { signatureEntries } from '../../../libs/queries/signatures.ts'
import {
  addressLabelSubjects,
  addressStateSubjects,
  contractAbiSubjects,
  type SubjectsQuestion,
  tokenMarketSubjects,
} from '../../../libs/queries/subjects.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import { instanceMetadata } from '../../../libs/tables/tables/instances.ts'
import type { InvalidationClock } from '../clock/invalidation-clock.ts'
import { type LookupOptions, RowCache } from './row-cache.ts'
import type { RunQuestion } from './run-question.ts'
import { SubjectFilter } from './subject-filter.ts'

interface SharedRowsOptions {
  readonly run: RunQuestion
  readonly clock: InvalidationClock
  readonly metrics: Metrics
  /** Bound of cached rows, per table. */
  readonly cachedRowsMax: number
  /** Bound of the subjects in a filter, per table. */
  readonly filteredSubjectsMax: number
  /** The current throttle window. */
  readonly window: () => number | null
}

export type SharedRows = ReturnType<typeof sharedRowsOf>['rows']

/**
 * Rows that many pages look up, cached by this process between requests, and filters of the tables
 * that have no row of most subjects.
 */
export function sharedRowsOf(options: SharedRowsOptions) {
  const { run, clock, metrics, cachedRowsMax: rowsMax, window } = options
  const subjectsMax = options.filteredSubjectsMax
  const filterOf = (question: SubjectsQuestion) =>
    new SubjectFilter({ run, clock, question, subjectsMax })
  const filters = {
    tokenFacts: filterOf(tokenMarketSubjects),
    addresses: filterOf(addressStateSubjects),
    addressFacts: filterOf(addressLabelSubjects),
    abiEntries: filterOf(contractAbiSubjects),
  }
  const cached = <S extends string, R>(
    question: Question<readonly S[], ReadonlyMap<S, R>>,
    filter?: SubjectFilter,
  ): ((subjects: Iterable<S>, lookup: LookupOptions) => Promise<ReadonlyMap<S, R>>) => {
    const family = question.table.name
    const countOf = (outcome: string) => metrics.cacheReads.countOf({ cache: family, outcome })
    const counts = { hit: countOf('hit'), miss: countOf('miss'), absent: countOf('absent') }
    const cache = new RowCache<S, R>({
      ...{ family, clock, rowsMax, window },
      subjectsOf: question.subjects,
      read: (keys, context) => run(question, keys, context),
      ...(filter === undefined ? {} : { isAbsent: (subject) => filter.excludes(subject) }),
      onReads: (outcome, count) => {
        counts[outcome].pending += count
      },
    })
    return (subjects, lookup) => cache.get(subjects, lookup)
  }
  const rows = {
    tokens: cached(tokenStates),
    tokenFacts: cached(tokenFacts, filters.tokenFacts),
    addresses: cached(addressStates, filters.addresses),
    addressFacts: cached(addressFacts, filters.addressFacts),
    abiEntries: cached(abiEntries, filters.abiEntries),
    signatures: cached(signatureEntries),
    coinPrices: cached(coinPrices),
  }
  return { rows, filters: Object.values(filters) }
}

/** Off-chain facts, as presenters show them: those of subjects without any are missing. */

export const tokenFacts = keyedQuestion({
  table: marketRows.table,
  subjects: (tokens: readonly Address[]) => tokens,
  idOf: (token: Address) => token,
  async read(_store, tokens, { subjectRows }): Promise<ReadonlyMap<Address, TokenFacts>> {
    return eachOf(await subjectRows(marketRows, tokens), tokenFactsOf)
  },
})

export const addressFacts = keyedQuestion({
  table: labelRows.table,
  subjects: (addresses: readonly Address[]) => addresses,
  idOf: (address: Address) => address,
  async read(_store, addresses, { subjectRows }): Promise<ReadonlyMap<Address, AddressFacts>> {
    return eachOf(await subjectRows(labelRows, addresses), addressFactsOf)
  },
})

/** By `instanceKey`. */
export const instanceFacts = keyedQuestion({
  table: instanceMetadata,
  subjects: (keys: readonly InstanceKey[]) => keys.map(instanceKey),
  idOf: instanceKey,
  async read(store, keys): Promise<ReadonlyMap<string, InstanceFacts>> {
    const facts = new Map<string, InstanceFacts>()
    let parsedCharacters = 0
    for (const [key, row] of await metadataOfInstances(store, keys)) {
      facts.set(key, instanceFactsOf(row))
      parsedCharacters += row.fact.length
      if (parsedCharacters < pauseEveryCharacters) continue
      await setImmediate()
      parsedCharacters = 0
    }
    return facts
  },
})

/** Of metadata, parsed in one turn of the event loop: some milliseconds. */
const pauseEveryCharacters = 256 * 1024

const eachOf = <K, R, V>(found: ReadonlyMap<K, readonly R[]>, of: (rows: readonly R[]) => V) =>
  new Map(
    [...found].flatMap(([key, rows]) => (rows.length === 0 ? [] : [[key, of(rows)] as const])),
  )
