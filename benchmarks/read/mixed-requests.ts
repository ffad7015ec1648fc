import { z } from 'zod'
import { nextQuery, type Requested, type Targets, trafficOf } from '../load/traffic.ts'
import type { Got } from './closed-loop.ts'
import type { Arrival } from './open-loop.ts'

export interface MixedRequest extends Arrival {
  readonly kind: 'first' | 'deep' | 'conditional'
  /** Path of its route. */
  readonly route: string
}

const deepShare = 0.1
const conditionalShare = 0.05
/** Cursors and tags kept, each. */
const keptMax = 1_000

const page = z.object({ next_page_params: z.unknown() })

/** First pages by Zipf's law, a tenth deep pages, a twentieth with `If-None-Match`. */
export class MixedRequests {
  /** Responses with 503: a busy machine may not answer in time. */
  refused = 0
  private readonly traffic: () => Requested
  private readonly fraction: () => number
  private readonly cursors: MixedRequest[] = []
  private readonly tags: MixedRequest[] = []

  constructor(targets: Targets, fraction: () => number) {
    this.traffic = trafficOf(targets, 1, fraction)
    this.fraction = fraction
  }

  next(): MixedRequest {
    const share = this.fraction()
    const kept =
      share < deepShare ? this.cursors : share < deepShare + conditionalShare ? this.tags : []
    const known = kept[Math.floor(this.fraction() * kept.length)]
    if (known !== undefined) return known
    const { endpoint, target } = this.traffic()
    return { kind: 'first', target, route: endpoint.path }
  }

  /**
   * Keeps its cursor and its tag. A subject that no block has mentioned yet is unknown (404).
   *
   * @throws if the response is no page
   */
  received({ target, route, kind }: MixedRequest, { status, headers, body }: Got): void {
    if (status === 304 && kind === 'conditional') return
    if (status === 503) {
      this.refused++
      return
    }
    if (status === 404 && kind === 'first') return
    if (status !== 200) throw new Error(`${target}: status ${status}: ${body}`)
    const parsed = page.safeParse(JSON.parse(body.toString()))
    const query = parsed.success ? nextQuery(parsed.data.next_page_params) : undefined
    const first = target.split('?')[0] ?? target
    if (query !== undefined) {
      this.keep(this.cursors, { kind: 'deep', target: `${first}?${query}`, route })
    }
    const { etag } = headers
    if (etag === undefined) return
    this.keep(this.tags, { kind: 'conditional', target, route, headers: { 'if-none-match': etag } })
  }

  private keep(kept: MixedRequest[], one: MixedRequest): void {
    if (kept.length < keptMax) kept.push(one)
    else kept[Math.floor(this.fraction() * keptMax)] = one
  }
}
