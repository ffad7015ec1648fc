import { allBenchmarks } from './all-benchmarks.ts'
import { resultsPage } from './report/results-page.ts'
import { savedResults } from './report/saved-results.ts'

/** What `benchmarks/README.md` must contain. */
export const printedPage = (): string => resultsPage(allBenchmarks, savedResults(), [])
