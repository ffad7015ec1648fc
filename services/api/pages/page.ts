import type { Head } from '../../../libs/presenters/lookups.ts'
import type { CollectedDependencies } from '../clock/dependencies.ts'
import { type Content, tagged } from '../response/responses.ts'
import { type SplicedBody, spliced, type Template } from '../response/splices.ts'

/** A page as it is cached: its bytes and what they depend on. */
export interface Page {
  readonly dependencies: CollectedDependencies
  readonly validFor: ValidFor
  /** Null: not found. */
  readonly body: PageBody | null
}

export interface PageBody extends Template {
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

export interface RenderResult extends Page {
  /** Read from a replica older than what was announced: must not be cached. */
  readonly isBehind: boolean
}

export const always: ValidFor = { from: null, until: null, at: null }

export const noHead: Head = { block: 0, time: null }

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

/** A body with its confirmations, which are filled in once per head. */
export class FinishedBody {
  private readonly confirmations: PageBody['confirmations']
  private readonly digest: string
  private readonly headers: PageBody['headers']
  private block: number
  private content: Content

  /** Retains none of the body's bytes, which may be part of a larger buffer. */
  constructor({ bytes, confirmations, digest, headers }: PageBody, head: Head | null) {
    this.confirmations = confirmations
    this.digest = digest
    this.headers = headers
    this.block = this.blockAt(head)
    const isCopy = confirmations.length > 0
    this.content = this.contentOf({ bytes: isCopy ? bytes : Buffer.from(bytes), block: null })
  }

  get length(): number {
    return this.content.body.length
  }

  at(head: Head | null): Content {
    const { block } = this
    this.block = this.blockAt(head)
    if (this.block !== block) this.content = this.contentOf({ bytes: this.content.body, block })
    return this.content
  }

  private blockAt(head: Head | null): number {
    return this.confirmations.length === 0 ? 0 : (head?.block ?? 0)
  }

  private contentOf(body: SplicedBody): Content {
    const { block, confirmations, digest, headers } = this
    const tag = block === 0 ? digest : `${digest}.${block}`
    return tagged(spliced(body, confirmations, block), tag, headers)
  }
}
