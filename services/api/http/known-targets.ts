import type { HttpRequest } from '../../../libs/ports/http.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'
import type { Route } from '../endpoints/route.ts'
import { SegmentedCache } from '../pages/segmented-cache.ts'

/** What parsing a target gives. */
export interface KnownTarget {
  readonly route: Route
  /** From the path, as sent. */
  readonly subject: string
  /** Cache key of its page. */
  readonly key: string
}

interface KnownTargetsOptions {
  readonly metrics: Pick<Metrics, 'knownTargetsBytes'>
  readonly bytesMax?: number
}

/** Approximate size of an entry besides its strings; bounds the number of entries, too. */
const entryBytes = 300
/** 20,000 and more targets. */
const bytesMaxDefault = 8 * 1024 * 1024

/**
 * Targets as clients spell them and the pages that they name, so that a repeated request is not
 * parsed. It has no pages: whether one is cached and valid is asked of `Pages` each time. A target
 * is added when its page was found in a cache, and protected when it is requested again, so that
 * random parameters do not evict the targets that many clients send.
 */
export class KnownTargets {
  private readonly targets: SegmentedCache<KnownTarget>

  constructor({ metrics, bytesMax = bytesMaxDefault }: KnownTargetsOptions) {
    this.targets = new SegmentedCache({
      sizeMax: bytesMax,
      sizeOf: ({ key, subject }, target) =>
        entryBytes + key.length + subject.length + target.length,
    })
    metrics.knownTargetsBytes.measure(() => this.targets.size)
  }

  find(target: string): KnownTarget | undefined {
    return this.targets.get(target)
  }

  add(target: string, known: KnownTarget): void {
    this.targets.set(target, known)
  }
}

/** As it stands in the request line, without an API key. */
export function targetOf({ path, query }: HttpRequest): string {
  if (query === '') return path
  return `${path}?${query.includes('apikey=') ? query.replace(apiKeyParameter, '') : query}`
}

const apiKeyParameter = /(?<=^|&)apikey=[^&]*(?:&|$)/g
