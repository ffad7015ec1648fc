// Prints the product modules of which a function runs for the first page of each endpoint, from
// the HTTP handler to the queries, with cold caches and one row in each table:
//
//     node --import ./services/cli/strip-types.mjs test/tidy/print-modules-of-pages.ts [--names]
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { routes } from '../../services/api/endpoints/routes.ts'
import { runOnStore } from '../../services/api/rows/run-question.ts'
import { linked, linkedRows } from '../../services/api/testing/linked-rows.ts'
import { oneRowStore } from '../../services/api/testing/one-row-store.ts'
import { testApi } from '../../services/api/testing/test-api.ts'
import { top } from './tree.ts'

const session = new Session()
session.connect()
await session.post('Profiler.enable')
for (const { path, subject } of routes) {
  const { handler, announce } = testApi(runOnStore(oneRowStore(linkedRows).store))
  announce('ledger', 10)
  announce('state', 10)
  const target = path.replace(/\{\w+\}/, subject === 'address' ? linked.token : linked.hash)
  await session.post('Profiler.startPreciseCoverage', { callCount: true })
  const request = { method: 'GET', path: target, query: '', headers: {}, client: '127.0.0.1' }
  const { status } = await handler(request)
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  const modules = result
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .flatMap(({ url }) => (url.startsWith('file:') ? fileURLToPath(url).replace(top, '') : []))
    .filter((file) => /^(libs|services)\/(?!.*\/testing\/)/.test(file))
  process.stdout.write(`${modules.length} ${status} ${path}\n`)
  if (process.argv.includes('--names')) process.stdout.write(`  ${modules.sort().join('\n  ')}\n`)
}
