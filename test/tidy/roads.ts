import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import type { ExampleKind } from '../../services/api/endpoints/pipeline/route.ts'
import { routes } from '../../services/api/endpoints/routes.ts'
import { runOnStore } from '../../services/api/rows/run-question.ts'
import { linked, linkedRows } from '../../services/api/testing/linked-rows.ts'
import { oneRowStore } from '../../services/api/testing/one-row-store.ts'
import { testApi } from '../../services/api/testing/test-api.ts'
import { top } from './tree.ts'

/** The product's files of which a function runs for a page, from the handler to the queries. */
export interface Road {
  readonly path: string
  /** Whether the page has anything on it. */
  readonly isShown: boolean
  /** For the first request, with cold caches and one row in each table. */
  readonly cold: readonly string[]
  /** For the same request again. */
  readonly hot: readonly string[]
}

/** Of each endpoint. */
export async function roads(): Promise<readonly Road[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  const filesOf = async (work: () => Promise<unknown>) => {
    await session.post('Profiler.startPreciseCoverage', { callCount: true })
    await work()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    await session.post('Profiler.stopPreciseCoverage')
    return result
      .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      .map(({ url }) => pathOf(url).replace(top, ''))
      .filter((file) => /^(libs|services)\/(?!.*\/testing\/).*(?<!\.spec)\.ts$/.test(file))
      .sort()
  }
  const found: Road[] = []
  for (const { path, example } of routes) {
    const { handler, announce } = testApi(runOnStore(oneRowStore(linkedRows).store))
    announce('ledger', 10)
    announce('state', 10)
    const target = path.replace(/\{\w+\}/, linked[subjectOf[example.of]])
    const request = { method: 'GET', path: target, query: '', headers: {}, client: '127.0.0.1' }
    let isShown = false
    const ask = async () => {
      const { status, body } = await handler(request)
      isShown = status === 200 && !body.includes('"items":[]') && body.length > '{}'.length
    }
    const cold = await filesOf(ask)
    // What names the target is known from the second request on.
    await ask()
    found.push({ path, cold, hot: await filesOf(ask), isShown })
  }
  session.disconnect()
  return found
}

const pathOf = (url: string): string => (url.startsWith('file:') ? fileURLToPath(url) : url)

/** Of the linked rows, by the kind that the endpoint's example has. */
const subjectOf = {
  addresses: 'owner',
  collectors: 'owner',
  emitters: 'token',
  recipients: 'owner',
  tokens: 'token',
  transactions: 'hash',
} as const satisfies Record<ExampleKind, keyof typeof linked>
