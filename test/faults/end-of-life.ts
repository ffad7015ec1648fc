import { events } from '../../libs/signals/events.ts'
import { foldedTables } from '../../libs/tables/tables/all-tables.ts'
import { accept, nothingAccepted } from '../../libs/topics/acceptance.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { tablesOfStore } from '../projector/tables-of-store.ts'
import { chainInLog } from '../support/chain-in-log.ts'
import { until } from '../support/until.ts'
import type { Calm } from './calm-run.ts'
import { apis, type Deployment } from './deployment.ts'
import { alikePages, differingPages, pagesOf } from './pages.ts'
import { complaintsOf, type ReportedHead, type SeenResponse } from './response-order.ts'
import type { Scene } from './scene.ts'
import { alikeInRuns, differingRows, folded, foldedFacts, withoutPositions } from './tables.ts'

/**
 * What is not as it must be while nothing moves: the log holds the node's chain, the tables what
 * one calm fold of that log makes, and every page that may be cached is what is computed anew.
 * @param calm of the same chain, where it has come to its end
 */
export async function differencesFrom(
  { node, deployed }: Scene,
  paths: readonly string[],
  calm: Calm | null,
): Promise<string[]> {
  const { accepted, standing } = await chainInLog(deployed.eventLog)
  const lost = node.standing
    .filter(({ number, hash }) => standing.get(number) !== hash)
    .map(({ number }) => `the log has lost block ${number}`)
  const surplus = standing.size - node.standing.length
  const found = await tablesOfStore(deployed.store, foldedTables)
  const fresh = deployed.freshApi()
  await fresh.begun()
  const computed = await pagesOf(fresh, paths)
  await fresh.stop()
  const pages = await Promise.all(
    apis.map(async (name) =>
      differingPages(name, await pagesOf(deployed.service(name), paths), computed),
    ),
  )
  return [
    ...lost,
    ...(surplus === 0 ? [] : [`the log has ${surplus} blocks that the node has not`]),
    ...differingRows('against one fold', found, await folded(accepted)),
    ...(await differencesFromFacts(deployed)),
    ...pages.flat(),
    ...(calm === null ? [] : differingRows('against a calm run', alikeInRuns(found), calm.tables)),
    ...(calm === null
      ? []
      : differingPages('against a calm run', alikePages(computed), alikePages(calm.pages))),
  ]
}

const factsMaxMs = 60_000
const factTables = foldedTables.filter(({ group }) => group === 'dimensions')

/**
 * Where tables of facts are not what one fold of them makes. Facts may still come: an hour of rates
 * is published up to 15 s after the chain has reached it, and written after that.
 */
async function differencesFromFacts({ eventLog, store }: Deployment): Promise<string[]> {
  let differences: string[] = []
  const isFolded = async () => {
    const found = withoutPositions(await tablesOfStore(store, factTables))
    const wanted = await foldedFacts(eventLog, factTables)
    differences = differingRows('against one fold of the facts', found, wanted)
    return differences.length === 0
  }
  await until('tables are folded from all facts', isFolded, factsMaxMs).catch(() => {})
  return differences
}

const wellKnown = [200, 304, 404, 503]

/** Responses that broke the law of freshness during the faults. */
export async function endOrder(
  { deployed }: Scene,
  responses: readonly SeenResponse[],
): Promise<string[]> {
  const { accepted } = await chainInLog(deployed.eventLog)
  const odd = responses.filter(({ status }) => !wellKnown.includes(status))
  const lines = [...deployed.services.values()].flatMap(({ name, lives }) =>
    lives.flatMap(({ lines }) => lines.map((line) => ({ name, ...line }))),
  )
  const alarms = lines.filter(({ event }) => event === events.api.conflictingRows)
  const ends = [...deployed.services.values()].flatMap(({ name, ends }) =>
    ends.map(({ code, reason }) => `${name} ended by itself with ${code}: ${reason}`),
  )
  return [
    ...ends,
    ...odd.map(({ path, status }) => `${path} was answered with ${status}`),
    ...alarms.map((alarm) => `an alarm: ${JSON.stringify(alarm)}`),
    ...complaintsOf(responses, headsOf(accepted)),
  ]
}

/** The head after each message that counts. */
function headsOf(accepted: readonly BlocksMessage[]): (ReportedHead | null)[] {
  let state = nothingAccepted
  return accepted.map((message) => {
    const fate = accept(state, message)
    if (fate.fate === 'accepted') state = fate.next
    const { head } = state
    return head === null ? null : { block: head.number, time: head.timestamp ?? 0 }
  })
}
