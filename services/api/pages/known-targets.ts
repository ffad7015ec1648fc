import { SegmentedCache } from '../../../libs/bounds/segmented-cache.ts'
import type { HttpRequest } from '../../../libs/ports/http.ts'
import type { Metrics } from '../../../libs/signals/metrics.ts'

/** What parsing a target gives. */
interface Target {
  /** From the path, as sent. */
  readonly subject: string
  /** Cache key of its page. */
  readonly key: string
}

interface KnownTargetsOptions {
  readonly metrics: Pick<Metrics, 'knownTargetsBytes'>
  readonly bytesMax?: number
}

/** Size of an entry besides the characters of its strings; bounds the number of entries, too. */
const entryBytes = 300
/** Longer ones are parsed each time; a list's longest cursor has 840 characters. */
const targetCharactersMax = 2_048
/** A string with a character of two bytes has two for each. */
const twoBytes = /[^\0-\xff]/
/** 10,000 and more targets. */
const bytesMaxDefault = 8 * 1024 * 1024

/**
 * Targets as clients spell them and the pages that they name, so that a repeated request is not
 * parsed. It has no pages: whether one is cached and valid is asked of `Pages` each time. A target
 * is added when its page was found in a cache, and protected when it is requested again, so that
 * random parameters do not evict the targets that many clients send.
 */
export class KnownTargets<T extends Target> {
  private readonly targets: SegmentedCache<T>

  constructor({ metrics, bytesMax = bytesMaxDefault }: KnownTargetsOptions) {
    this.targets = new SegmentedCache({
      sizeMax: bytesMax,
      sizeOf: ({ key, subject }, target) =>
        entryBytes + bytesOf(key) + bytesOf(subject) + bytesOf(target),
    })
    metrics.knownTargetsBytes.measure(() => this.targets.size)
  }

  find(target: string): T | undefined {
    return this.targets.get(target)
  }

  add(target: string, named: T): void {
    if (target.length > targetCharactersMax) return
    this.targets.set(target, { ...named, subject: copied(named.subject) })
  }
}

const bytesOf = (text: string): number => text.length * (twoBytes.test(text) ? 2 : 1)

/** A part of a string keeps the whole in memory. */
const copied = (part: string): string => Buffer.from(part).toString()

/** As it stands in the request line, without an API key. */
export function targetOf({ path, query }: HttpRequest): string {
  if (query === '') return path
  return `${path}?${query.includes('apikey=') ? query.replace(apiKeyParameter, '') : query}`
}

const apiKeyParameter = /(?<=^|&)apikey=[^&]*(?:&|$)/g
