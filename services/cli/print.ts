import { readFile, writeFile } from 'node:fs/promises'
import { withSettings } from '../../libs/settings/print-settings.ts'
import { printMetrics } from '../../libs/signals/metrics.ts'
import { allTables } from '../../libs/tables/all-tables.ts'
import { storePage } from '../../libs/tables/store-page.ts'
import { commands } from './commands.ts'
import { printChart, printedAlerts, withCommands } from './printed-pages.ts'

/** `npm run print`: renews the pages that are printed from declarations. */
const page = new URL('../../README.md', import.meta.url)
await writeFile(page, withCommands(withSettings(await readFile(page, 'utf8')), commands))
await writeFile(new URL('../../libs/tables/STORE.md', import.meta.url), storePage(allTables))
await writeFile(new URL('../../deploy/METRICS.md', import.meta.url), printMetrics())
await printChart()
const alerts = new URL('../../deploy/alerts/foldscan.rules.yaml', import.meta.url)
await writeFile(alerts, await printedAlerts())
