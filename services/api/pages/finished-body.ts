import type { Head } from '../../../libs/presenters/lookups.ts'
import { type Content, tagged } from '../response/responses.ts'
import { type SplicedBody, spliced } from '../response/splices.ts'
import type { RenderedBody } from './page.ts'

/** A body with its confirmations, which are filled in once per head. */
export class FinishedBody {
  private readonly confirmations: RenderedBody['confirmations']
  private readonly digest: string
  private readonly headers: RenderedBody['headers']
  private block: number
  private content: Content

  /** Retains none of the body's bytes, which may be part of a larger buffer. */
  constructor({ bytes, confirmations, digest, headers }: RenderedBody, head: Head | null) {
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
