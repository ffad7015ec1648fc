import { readFile, writeFile } from 'node:fs/promises'
import { printedQueries } from '../../libs/queries/reading/declared.ts'
// Loads each module that declares a query.
import '../../libs/queries/testing/declared-queries.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { allTables } from '../../libs/tables/tables/all-tables.ts'
import { commands } from '../../services/cli/commands.ts'
import { withStatements } from './lost-tail-page.ts'
import { printMetrics } from './metrics-page.ts'
import { printChart, printedAlerts, withCommands } from './printed-pages.ts'
import { withSettings } from './settings-page.ts'
import { storePage } from './store-page.ts'

/** `npm run print`: renews the pages that are printed from declarations. */
await renew('deploy/OPERATE.md', (page) => withCommands(page, commands))
await renew('deploy/SETTINGS.md', withSettings)
await renew(runbooks.lostTail, withStatements)
await writeFile(new URL('../../libs/tables/STORE.md', import.meta.url), storePage(allTables))
await writeFile(new URL('../METRICS.md', import.meta.url), printMetrics())
for (const { file, text } of printedQueries()) await writeFile(file, text)
await printChart()
const alerts = new URL('../alerts/foldscan.rules.yaml', import.meta.url)
await writeFile(alerts, await printedAlerts())

async function renew(path: string, renewed: (page: string) => string): Promise<void> {
  const url = new URL(`../../${path}`, import.meta.url)
  await writeFile(url, renewed(await readFile(url, 'utf8')))
}
