import { allBenchmarks } from './all-benchmarks.ts'
import { constantsFrom } from './capacity.ts'
import { capacitySection } from './report/capacity-section.ts'
import { resultsPage } from './report/results-page.ts'
import { flamesSection } from './report/saved-flames.ts'
import { savedResults } from './report/saved-results.ts'

/** What `benchmarks/README.md` must contain. */
export function printedPage(): string {
  const results = savedResults()
  return resultsPage(allBenchmarks, results, [
    capacitySection(constantsFrom(results)),
    flamesSection(),
  ])
}
