import { writeFile } from 'node:fs/promises'
import { printedPage } from './printed-page.ts'
import { resultChart } from './report/result-chart.ts'
import { resultsFolder, savedResults } from './report/saved-results.ts'

/** Part of `npm run print`: renews the page and its pictures from the saved results. */
for (const [name, result] of savedResults()) {
  await writeFile(new URL(`${name}.svg`, resultsFolder), resultChart(result))
}
await writeFile(new URL('./README.md', import.meta.url), printedPage())
