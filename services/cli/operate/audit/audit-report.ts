import type { NodeReader } from '../../../../libs/adapters/rpc/node-reader.ts'
import type { Address } from '../../../../libs/chain/hex.ts'
import type { FetchPage } from '../explorer/explorer.ts'
import type { AuditExample, AuditRow, CountedFailure, Notable } from './audit-tally.ts'
import type { PageLook } from './finding.ts'

export interface AuditOptions {
  readonly api: FetchPage
  readonly node: NodeReader
  /** Addresses whose logs are the coin's own, as the ingestor has them. */
  readonly coinEmitters: ReadonlySet<string>
  /** Newest block that Foldscan has indexed. */
  readonly indexed: number
  /** Transactions, tokens and addresses, so many of each. */
  readonly sample: number
  /** All of whose holders are compared, beside the sample; null for none. */
  readonly token: Address | null
  readonly seed: number
  /** After it no further subject begins. */
  readonly timeMs: number
  readonly signal: AbortSignal
  /** Pages of holders of each token that is drawn, from the busiest on; one by default. */
  readonly holderPagesMax?: number
  /** Receives each look that counts, at once. */
  readonly onLook?: (look: PageLook) => void
  /** Receives the number of subjects that have been compared. */
  readonly onProgress?: (subjects: number) => void
  /** Between the looks at a page that differs, in ms; as `settled` has them by default. */
  readonly pausesMs?: readonly number[]
  /** Of tests: between two looks at a page. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface Noted {
  readonly count: number
  /** The first ones. */
  readonly examples: readonly AuditExample[]
}

/** What an audit has found. */
export interface AuditReport extends Readonly<Record<Notable, Noted>> {
  /** `incomplete`: nothing differs, but something could not be asked, or nothing was compared. */
  readonly status: 'equal' | 'differs' | 'incomplete'
  /** Repeats the choice of subjects, as long as the chain is the same. */
  readonly seed: number
  readonly transactions: number
  readonly tokens: number
  readonly addresses: number
  /** Blocks of the pages that were compared; null without any. */
  readonly blocks: { readonly from: number; readonly to: number } | null
  readonly rows: readonly AuditRow[]
  readonly failures: readonly CountedFailure[]
  /** Blocks that Foldscan does not have, as those before its first. */
  readonly notIndexed: number
  /** Whether the time was over before all were compared. */
  readonly isCutOff: boolean
}
