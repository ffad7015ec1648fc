import type { Head } from '../../../libs/presenters/lookups.ts'
import type { GroupProgress } from '../clock/follow-changes.ts'
import { type AuditShown, auditSection } from './audit-shown.ts'
import type { NewestBlock } from './newest-blocks.ts'
import type { Recent } from './recent-counts.ts'
import type { TablesShown } from './tables-shown.ts'

/** A page of the API that shows something now. */
export interface Example {
  readonly what: string
  readonly path: string
}

/** What the page shows is made of. */
export interface StatusInputs {
  /** In ms since 1970. */
  readonly now: number
  readonly version: string
  readonly chainId: number
  readonly head: Head | null
  readonly groups: readonly GroupProgress[]
  readonly newest: readonly NewestBlock[]
  /** Null in the first seconds of the process. */
  readonly recent: Recent | null
  /** Whether pages are shared in Redis. */
  readonly hasRedis: boolean
  readonly tables: TablesShown
  readonly examples: readonly Example[]
  /** Null while nothing is compared with a node. */
  readonly audit: AuditShown | null
}

/**
 * The sections of the status page, as JSON: a section is sent when it has changed. `at` and
 * `seenAt` are in ms, `time` of a block in seconds since 1970, durations in seconds. Nothing in it
 * names a client, a server or a setting.
 */
export function statusSections(inputs: StatusInputs) {
  const { now, version, chainId, head, groups, newest, recent, hasRedis } = inputs
  const { tables, examples, audit } = inputs
  const { process, redis, clickhouse } = recent?.pages ?? nothingRead
  return {
    at: now,
    chain: { id: chainId, version },
    head,
    groups: groups
      .map(({ group, position, block, time }) => ({ group, position, block, time }))
      .sort((one, other) => order.indexOf(one.group) - order.indexOf(other.group)),
    blocks: newest,
    rates: {
      seconds: recent?.seconds ?? 0,
      blocks: recent?.blocksPerSecond ?? null,
      transfers: tables.transfersPerSecond,
      requests: recent?.requestsPerSecond ?? null,
      ...(recent?.durations ?? nothingMeasured),
    },
    reads: hasRedis ? { process, redis, clickhouse } : { process, clickhouse },
    series: recent?.series ?? { blocks: [], requests: [] },
    tables: { problem: tables.problem, sizes: tables.sizes ?? [] },
    examples: examples.map(({ what, path }) => ({ what, path })),
    audit: audit === null ? null : auditSection(audit),
  }
}

const order: readonly string[] = ['ledger', 'state', 'dimensions']
const nothingRead = { process: 0, redis: 0, clickhouse: 0 }
const nothingMeasured = { measured: 0, p50: null, p99: null, measuredMax: 0 }
