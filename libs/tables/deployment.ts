import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Store } from '../ports/store.ts'
import { readRows } from './declare/read-rows.ts'
import { RowSink } from './declare/row-binary.ts'

/** What tables, caches and volumes belong together by. */
export interface Deployment {
  readonly id: string
  readonly chainId: number
}

export const deploymentName = 'deployment'

/** CREATE TABLE, harmless where it exists. */
export const createDeployment = `CREATE TABLE IF NOT EXISTS ${deploymentName} (
  id String,
  chainId UInt64,
  at DateTime64(6) DEFAULT now64(6)
)
ENGINE = MergeTree
ORDER BY (at, id)
SETTINGS
  fsync_after_insert = 1,
  fsync_part_directory = 1`

/** The tables are of another chain: an operator has to choose other ones, or correct the chain. */
export class OtherChain extends Error {
  override readonly name = 'OtherChain'
}

/** Null until the tables are claimed. @throws StoreMissing before they are created */
export async function deploymentOf(store: Pick<Store, 'query'>): Promise<Deployment | null> {
  // After two concurrent claims, every process uses the first.
  const sql = `SELECT id, chainId FROM ${deploymentName} ORDER BY at, id LIMIT 1`
  const [first = null] = await readRows(store, { sql }, (source) => ({
    id: source.text(),
    chainId: source.uint64(),
  }))
  return first
}

type Claimable = Pick<Store, 'query' | 'insert'>

/**
 * Claims the tables for a chain, if they are unclaimed. @returns the owner of the tables.
 * @throws OtherChain if they belong to another one
 */
export async function claimDeployment(
  store: Claimable,
  chainId: number,
  everyMs = readEveryMs,
): Promise<Deployment> {
  const standing = await deploymentOf(store)
  const deployment = standing ?? (await claimed(store, chainId, everyMs))
  refuseOtherChain(deployment, chainId)
  return deployment
}

/** @throws OtherChain with one sentence */
export function refuseOtherChain(deployment: Deployment, chainId: number): void {
  if (deployment.chainId === chainId) return
  throw new OtherChain(
    `the tables are of chain ${deployment.chainId}, not of chain ${chainId}: ` +
      'one database serves one chain, use another database for this chain',
  )
}

/** Reads of a claim that was written: six seconds in all. */
const readsMax = 30
const readEveryMs = 200

async function claimed(store: Claimable, chainId: number, everyMs: number): Promise<Deployment> {
  const sink = new RowSink()
  sink.text(randomUUID())
  sink.uint64(chainId)
  await store.insert(deploymentName, ['id', 'chainId'], {
    bytes: sink.bytes(),
    count: 1,
  })
  // A majority of the replicas has it; one that answers may still lack it.
  for (let read = 1; read <= readsMax; read++) {
    const standing = await deploymentOf(store)
    if (standing !== null) return standing
    await setTimeout(everyMs)
  }
  throw new Error(
    `the claim on the tables was written, and ${readsMax} reads have not found it: the replica of ` +
      'ClickHouse that answers is behind; run the command again once it has caught up',
  )
}
