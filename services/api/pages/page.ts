import type { Head } from '../../../libs/presenters/lookups.ts'
import type { CollectedDependencies } from '../clock/dependencies.ts'
import type { Template } from '../response/splices.ts'

/** A page as it is cached: its bytes and what they depend on. */
export interface RenderedPage {
  readonly dependencies: CollectedDependencies
  readonly validFor: ValidFor
  /** Null: not found. */
  readonly body: RenderedBody | null
}

export interface RenderedBody extends Template {
  readonly headers: Readonly<Record<string, string>>
  /** Identifies the template: an ETag needs no hash of the bytes that are sent. */
  readonly digest: string
}

/** The heads for which a page is valid. Times in seconds. */
export interface ValidFor {
  /** From this time on; null: no lower bound. */
  readonly from: number | null
  /** Before this time; null: no upper bound. */
  readonly until: number | null
  /** At this head only; null: at any. */
  readonly at: string | null
}

export interface RenderResult extends RenderedPage {
  /** Read from a replica older than what was announced: must not be cached. */
  readonly isBehind: boolean
}

export const always: ValidFor = { from: null, until: null, at: null }

const noHead: Head = { block: 0, time: null }

export const keyOfHead = (head: Head | null): string =>
  head === null ? keyOfHead(noHead) : `${head.block}.${head.time}`

/** Whether a page would be the same at this head. */
export function isValidAt({ from, until, at }: ValidFor, head: Head | null): boolean {
  if (at !== null) return at === keyOfHead(head)
  if (from === null && until === null) return true
  const time = head?.time ?? null
  if (time === null) return false
  return (from === null || time >= from) && (until === null || time < until)
}
