import { foldedTables } from '../../libs/tables/tables/all-tables.ts'
import { tablesOfStore } from '../projector/tables-of-store.ts'
import { ownPlace } from '../support/cluster.ts'
import { startChainNode } from './chain-node.ts'
import type { Step } from './chain-plan.ts'
import { deployment, firstOnes } from './deployment.ts'
import { factsOfEnd, settled } from './facts.ts'
import { type Pages, pagePaths, pagesOf } from './pages.ts'
import { addressesOf, type Servers } from './servers.ts'
import { alikeInRuns, type Tables } from './tables.ts'

/** What a run shows that nothing disturbs: it reads the canonical chain of its end. */
export interface Calm {
  readonly tables: Tables
  readonly pages: Pages
}

/** @throws if a service ends otherwise than it should */
export async function calmRun({ stack }: Servers, plan: readonly Step[]): Promise<Calm> {
  const node = await startChainNode(plan)
  node.toLast()
  const calm = await deployment(addressesOf(stack), ownPlace(), node)
  calm.start(firstOnes)
  await settled(calm, factsOfEnd, () => node.toEnd())
  const found = {
    tables: alikeInRuns(await tablesOfStore(calm.store, foldedTables)),
    pages: await pagesOf(calm.service('first api'), pagePaths(plan)),
  }
  const ends = [...calm.services.values()].flatMap(({ ends }) => ends)
  const complaints = [...ends.map(({ reason }) => reason), ...(await calm.drop())]
  await node.close()
  if (complaints.length > 0) throw new Error(`the calm run was not calm: ${complaints.join('; ')}`)
  return found
}
