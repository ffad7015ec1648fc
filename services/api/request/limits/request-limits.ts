import type { EventLog } from '../../../../libs/ports/event-log.ts'
import { type HttpRequest, headerOf } from '../../../../libs/ports/http.ts'
import type { SharedCounts } from '../../../../libs/ports/shared-counts.ts'
import { decoded } from '../../../../libs/presenters/parameters.ts'
import { events } from '../../../../libs/signals/events.ts'
import type { Log } from '../../../../libs/signals/log.ts'
import type { Metrics } from '../../../../libs/signals/metrics.ts'
import { runbooks } from '../../../../libs/signals/runbooks.ts'
import type { CheckedRequest, LimitVerdict } from '../../response/limit-headers.ts'
import { ApiKeys, type KnownKey } from './api-keys.ts'
import { ClientAddresses } from './client-address.ts'
import { ClientCounts } from './client-counts.ts'

export interface RequestLimitSettings {
  /** Requests of a client without key, per window. */
  readonly requests: number
  readonly windowMs: number
  readonly clientsMax: number
  readonly trustedProxies: readonly string[]
  /** What counts for all processes; null: each counts alone. */
  readonly shared: SharedCounts | null
}

interface RequestLimitsOptions {
  readonly settings: RequestLimitSettings
  readonly keys: Pick<ApiKeys, 'find'>
  readonly metrics: Metrics
  readonly log: Log
}

type Limited = Pick<HttpRequest, 'client' | 'query' | 'headers' | 'header'>

/** Requests in which a proxy that is not trusted is looked for. */
const proxiesSoughtMax = 1_000

/** Decides for each request whether its client may send it, by its API key or by its address. */
export class RequestLimits {
  private readonly requests: number
  private readonly addresses: ClientAddresses
  private readonly counts: ClientCounts
  private readonly keys: Pick<ApiKeys, 'find'>
  private readonly log: Log
  private readonly over: Readonly<Record<'address' | 'key', { pending: number }>>
  private readonly unknownKeys: { pending: number }
  private proxiesSought: number

  constructor({ settings, keys, metrics, log }: RequestLimitsOptions) {
    const { requests, windowMs, clientsMax, trustedProxies, shared } = settings
    this.requests = requests
    this.keys = keys
    this.log = log
    this.addresses = new ClientAddresses(trustedProxies)
    this.proxiesSought = trustedProxies.length === 0 ? 0 : proxiesSoughtMax
    const otherwise = (reason: string) => metrics.requestsCountedOtherwise.countOf({ reason })
    const signals = { locally: otherwise('without Redis'), together: otherwise('too many clients') }
    const onSignal = (signal: keyof typeof signals, count: number) => {
      signals[signal].pending += count
    }
    this.counts = new ClientCounts({ shared, windowMs, clientsMax, onSignal })
    this.unknownKeys = otherwise('unknown key')
    this.over = {
      address: metrics.requestsOverLimit.countOf({ reason: 'address' }),
      key: metrics.requestsOverLimit.countOf({ reason: 'key' }),
    }
    metrics.limitedClients.measure(() => this.clients)
  }

  /** Clients counted one by one now. */
  get clients(): number {
    return this.counts.clients
  }

  /** A promise only where earlier requests of the client have to be counted first. */
  check(request: Limited): CheckedRequest | Promise<CheckedRequest> {
    const sent = keyOf(request)
    const key = sent === '' ? undefined : this.keys.find(sent)
    const hasUnknownKey = sent !== '' && key === undefined
    if (hasUnknownKey) this.unknownKeys.pending++
    const verdict = key === undefined ? this.ofAddress(request) : this.ofKey(key)
    const reason = key === undefined ? 'address' : 'key'
    if (!(verdict instanceof Promise)) return this.checked(verdict, reason, hasUnknownKey)
    return verdict.then((later) => this.checked(later, reason, hasUnknownKey))
  }

  private ofKey({ id, limit }: KnownKey) {
    return this.counts.take(`key ${id}`, limit)
  }

  private ofAddress(request: Limited) {
    if (this.proxiesSought < proxiesSoughtMax) this.seekProxy(request)
    return this.counts.take(this.addresses.of(request), this.requests)
  }

  private checked(verdict: LimitVerdict, reason: 'address' | 'key', hasUnknownKey: boolean) {
    if (!verdict.isAllowed) this.over[reason].pending++
    return Object.assign(verdict, { hasUnknownKey })
  }

  /** Behind a proxy that is not trusted, all clients would share one limit. */
  private seekProxy(request: Limited): void {
    this.proxiesSought++
    if (headerOf(request, 'x-forwarded-for') === '') return
    this.proxiesSought = proxiesSoughtMax
    this.log.warn(
      { event: events.api.untrustedProxy, peer: request.client, runbook: runbooks.limits },
      'requests carry X-Forwarded-For, which is ignored without --trusted-proxies: ' +
        'behind a proxy all clients share one limit',
    )
  }
}

const keyParameter = /(?:^|&)apikey=([^&]*)/g

/** The header wins over the query; empty if there is none, or a blank one. */
function keyOf(request: Limited): string {
  const header = headerOf(request, 'x-api-key').trim()
  if (header !== '' || !request.query.includes('apikey=')) return header
  // Of equal parameters the last one counts.
  const [, value = ''] = [...request.query.matchAll(keyParameter)].at(-1) ?? []
  return decoded(value).trim()
}

interface StartRequestLimitsOptions extends Omit<RequestLimitsOptions, 'keys'> {
  readonly eventLog: EventLog
  readonly signal: AbortSignal
}

export interface StartedRequestLimits {
  readonly limits: RequestLimits
  /** Resolves after the signal has aborted. */
  readonly following: Promise<void>
}

/** Limits requests, with the API keys that there are, and those added or revoked from now on. */
export async function startRequestLimits(
  options: StartRequestLimitsOptions,
): Promise<StartedRequestLimits> {
  const keys = new ApiKeys(options)
  await keys.load()
  return { limits: new RequestLimits({ ...options, keys }), following: keys.follow() }
}
