import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import type { RawOutcome, RawResponse } from '../../support/raw-connection.ts'
import type { ReportedHead, SeenResponse } from '../response-order.ts'
import type { AttackRequest, Targets } from './attack-requests.ts'
import { complaintAbout, plain } from './judged-response.ts'

const complaintsMax = 20
const tagsMax = 64
const knownBodiesMax = 8_192
/** Those that tell of a state of the chain. */
const notable = new Set([200, 304, 404])

interface Asked {
  /** Of the process that was asked. */
  readonly pid: number
  readonly beganAt: number
}

/** What attackers were answered: judged at once, and what it teaches those who ask next. */
export class AnswersSeen {
  /** The first ones. */
  readonly complaints: string[] = []
  readonly responses: SeenResponse[] = []
  /** Answers by status; 0: none, as it may be. */
  readonly counts = new Map<number, number>()
  count = 0
  /** Those of `count` that had a response. */
  judged = 0
  readonly #targets: Pick<Targets, 'tags' | 'cursors' | 'pages'>
  readonly #freshest: string
  /** The newest items of the freshest list, by tag. */
  readonly #newest = new Map<string, ReportedHead | null>()
  /** Hashes of bodies that were judged already, by their tags. */
  readonly #known = new Map<string, string>()

  constructor(targets: Pick<Targets, 'tags' | 'cursors' | 'pages'>, freshest: string) {
    this.#targets = targets
    this.#freshest = freshest
  }

  tally(status: number): void {
    this.count += 1
    this.counts.set(status, (this.counts.get(status) ?? 0) + 1)
  }

  complain(complaint: string): void {
    if (this.complaints.length < complaintsMax) this.complaints.push(complaint)
  }

  judge(request: AttackRequest, outcome: RawOutcome, { pid, beganAt }: Asked): void {
    const endedAt = performance.now()
    this.tally(typeof outcome === 'string' ? 0 : outcome.status)
    if (typeof outcome !== 'string') this.judged += 1
    const isKnown = typeof outcome !== 'string' && this.#isKnown(request, outcome)
    const complaint = isKnown ? null : complaintAbout(request, outcome)
    if (complaint !== null) this.complain(complaint)
    if (complaint !== null || typeof outcome === 'string') return
    const { status, headers } = outcome
    if (!isKnown) this.#learn(request, outcome)
    const tag = headers.get('etag')
    const { target: path, method } = request
    if (status === 200 && method === 'GET' && tag !== undefined) {
      this.#targets.pages.see({ target: path, tag })
    }
    if (!notable.has(status)) return
    const newest = this.#newestIn(request, outcome)
    this.responses.push({ pid, path, status, beganAt, endedAt, head: headIn(headers), newest })
  }

  /** What the freshest list shows as its newest; null of others, and where no body shows it. */
  #newestIn({ target, method }: AttackRequest, response: RawResponse): ReportedHead | null {
    const { status, headers } = response
    const tag = headers.get('etag')
    if (target !== this.#freshest || tag === undefined) return null
    const known = this.#newest.get(tag)
    if (known !== undefined || status !== 200 || method !== 'GET') return known ?? null
    const newest = newestIn(bodyOf(response))
    this.#newest.set(tag, newest)
    return newest
  }

  /** Whether just this body was judged before. A tag of two bodies is a fault. */
  #isKnown({ method, target }: AttackRequest, { status, headers, body }: RawResponse): boolean {
    const tag = headers.get('etag')
    if (tag === undefined || status !== 200 || method === 'HEAD') return false
    const hash = createHash('sha1').update(body).digest('base64')
    const known = this.#known.get(tag)
    if (known === undefined) {
      this.#known.set(tag, hash)
      const [oldest] = this.#known.keys()
      if (this.#known.size > knownBodiesMax && oldest !== undefined) this.#known.delete(oldest)
    } else if (known !== hash) this.complain(`${target}: two bodies of one tag, ${tag}`)
    return known !== undefined
  }

  /** Cursors and tags that the next requests may use. */
  #learn({ target, method }: AttackRequest, response: RawResponse): void {
    const { tags, cursors } = this.#targets
    const tag = response.headers.get('etag')
    if (tag !== undefined) tags.push(tag)
    if (tags.length > tagsMax) tags.shift()
    const path = plain(target)
    const isPage = path.startsWith('/api/v2/') && path !== '/api/v2/openapi.json'
    if (isPage && response.status === 200 && method === 'GET') cursors.see(path, bodyOf(response))
  }
}

function bodyOf({ headers, body }: RawResponse): unknown {
  const isGzip = headers.get('content-encoding') === 'gzip'
  return JSON.parse((isGzip ? gunzipSync(body) : body).toString('utf8'))
}

function headIn(headers: RawResponse['headers']): ReportedHead | null {
  const [block, at] = [headers.get('x-indexed-block'), headers.get('x-indexed-at')]
  return block === undefined || at === undefined
    ? null
    : { block: Number(block), time: Date.parse(at) / 1_000 }
}

const list = z.object({
  items: z.array(z.looseObject({ block_number: z.int(), timestamp: z.string() })),
})

function newestIn(body: unknown): ReportedHead | null {
  const [first] = list.parse(body).items
  return first === undefined
    ? null
    : { block: first.block_number, time: Date.parse(first.timestamp) / 1_000 }
}
