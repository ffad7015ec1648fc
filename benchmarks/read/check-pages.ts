import { Agent } from 'node:http'
import type { Store } from '../../libs/ports/store.ts'
import { routes } from '../../services/api/endpoints/routes.ts'
import { until } from '../../test/support/until.ts'
import { tokensOf } from '../generated-chain.ts'
import { get } from './closed-loop.ts'
import { assertFirstPage, checkedLists } from './naive-first-page.ts'

const arrivalMaxMs = 120_000
/** One of so many pages is compared, of few pages at least sixty. */
const checkedShare = 100
const checkedMin = 60

/** Naive computations by the path of the route that they are named after. */
const checked = new Map(
  Object.entries(checkedLists).map(([name, list]) => {
    const route = routes.find(({ operationId }) => operationId === name)
    if (route === undefined) throw new Error(`no route is named ${name}`)
    return [route.path, list] as const
  }),
)

/** Waits until an API of the generated chain has that block. */
export async function untilIndexed(port: number, block: number): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const path = `/api/v2/tokens/${tokensOf(1)[0]}/transfers`
  await until(
    `the API is at block ${block}`,
    async () => {
      const { headers } = await get({ agent, port, path })
      return Number(headers['x-indexed-block'] ?? 0) >= block
    },
    arrivalMaxMs,
  )
  agent.destroy()
}

/** A first page that was requested. */
export interface RequestedPage {
  readonly target: string
  /** Path of its route. */
  readonly route: string
}

/**
 * Compares some of the pages with statements that sort all rows of their subjects, once nothing is
 * folded any more.
 *
 * @returns how many were compared. @throws if one differs, or if there was none to compare
 */
export async function checkPages(
  store: Store,
  port: number,
  seen: readonly RequestedPage[],
): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const pages = seen.filter(({ route }) => checked.has(route))
  const every = Math.max(1, Math.min(checkedShare, Math.floor(pages.length / checkedMin)))
  const toCheck = pages.filter((_, at) => at % every === 0)
  if (toCheck.length === 0) throw new Error('none of the pages can be compared')
  for (const { target, route } of toCheck) {
    const list = checked.get(route)
    const subject = /0x[0-9a-f]+/.exec(target)?.[0]
    if (list === undefined || subject === undefined) throw new Error(`no subject in ${target}`)
    const { body } = await get({ agent, port, path: target })
    await assertFirstPage(store, list, { subject, body })
  }
  agent.destroy()
  return toCheck.length
}
