import pLimit from 'p-limit'
import { SourceError } from '../../ports/chain-source.ts'
import { events } from '../../signals/events.ts'
import { linkedAbort } from '../../signals/linked-abort.ts'
import { pause } from '../../signals/pause.ts'
import { runbooks } from '../../signals/runbooks.ts'
import { BatchSize } from './node-capabilities.ts'
import { RateLimited } from './transport/http-transport.ts'
import type { RpcClient } from './transport/rpc-client.ts'
import {
  BatchRefused,
  ResponseTooLarge,
  type RpcCall,
  type RpcResponse,
} from './transport/rpc-transport.ts'

/** Calls that are answered or left out together: those of one contract. */
export type CallGroup = readonly RpcCall[]

export interface GroupResult {
  /** In the order of the calls; null for what did not come, or not as a final answer. */
  readonly answers: readonly (RpcResponse | null)[]
  /**
   * `failed`: some did not come although the group was asked alone, of a node that is well.
   * `cut-off`: some did not come within the time, and it may be due to other groups.
   */
  readonly end: 'answered' | 'failed' | 'cut-off'
}

/** What calls are for, and why they have no answer: labels of the metric. */
const kinds = ['token', 'balance', 'trace', 'uri'] as const
const noAnswer = ['failed', 'cut-off'] as const
/** Askings in a row that were cut off: fewer are due to a busy moment of the node. */
const cutOffsTolerated = 9

interface BestEffortOptions {
  readonly kind: (typeof kinds)[number]
  /** Whether an answer can be taken as it is; for another one the call is repeated. */
  readonly isFinal: (answer: RpcResponse) => boolean
  /**
   * Called once if something did not come: whether the node is well, by a question that no
   * contract takes part in. False ends the asking. @throws SourceError
   */
  readonly isNodeHealthy: () => Promise<boolean>
  /** Maximum calls of one request; fewer if the node rejects that many. */
  readonly batchCallsMax: number
  readonly timeoutMs: number
  /** Of the answer to one call. */
  readonly responseBytesMax: number
  /** Ends the asking. */
  readonly signal: AbortSignal
}

/** Of the largest batch, by round; in the last round each group goes alone. */
const batchShares = [1, 1 / 4, 0] as const

/** Of the requests in flight, so that others can be sent beside them. */
const slotsShare = 1 / 2

interface PendingGroup {
  readonly calls: CallGroup
  readonly answers: (RpcResponse | null)[]
  /** Its last request held no other group. */
  wasAlone: boolean
  /** Its answer alone is too large, and will be again. */
  isTooLarge: boolean
}

/**
 * Calls whose answers a contract has a hand in: words, size and time of the answer are at its
 * will. So each is sent at most three times, in ever smaller requests and within a bound of time,
 * and what then has not come is left out. A contract holds up neither a block nor the answers of
 * other contracts. Requests: the shared ones of the first round, then at most two for each group.
 */
export class BestEffortCalls {
  readonly #client: RpcClient
  readonly #slots: ReturnType<typeof pLimit>
  readonly #batches: BatchSize
  /** In a row, by kind. */
  readonly #cutOffs = { token: 0, balance: 0, trace: 0, uri: 0 }

  /** @param bounds `slotsMax`: concurrent requests; by default half of those of the client */
  constructor(client: RpcClient, { slotsMax }: { readonly slotsMax?: number } = {}) {
    this.#client = client
    this.#batches = new BatchSize(client.limits.batchCallsMax)
    this.#slots = pLimit(
      slotsMax ?? Math.max(1, Math.floor(client.limits.requestsMax * slotsShare)),
    )
    for (const kind of kinds) {
      for (const reason of noAnswer) client.signals.metrics?.nodeUnanswered.inc({ kind, reason }, 0)
    }
  }

  /** Does work that is to end within `timeMs`: then the signal is aborted. */
  async withDeadline<T>(timeMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = linkedAbort(this.#client.closing)
    const cutOff = new SourceError('timed-out', `cut off after ${timeMs} ms`)
    const timer = setTimeout(() => deadline.end(cutOff), timeMs)
    timer.unref()
    try {
      return await work(deadline.signal)
    } finally {
      clearTimeout(timer)
      deadline.end()
    }
  }

  /** One answer for each group; null if the node is not well. @throws what `isNodeWell` throws */
  async ask(
    groups: readonly CallGroup[],
    options: BestEffortOptions,
  ): Promise<readonly GroupResult[] | null> {
    const all = groups.map(
      (calls): PendingGroup => ({
        calls,
        answers: calls.map(() => null),
        wasAlone: false,
        isTooLarge: false,
      }),
    )
    const { retryMinMs } = this.#client.limits
    let pauseMs = 0
    for (const [round, share] of batchShares.entries()) {
      const open = all.filter((group) => isOpen(group) && !group.isTooLarge)
      if (open.length === 0 || options.signal.aborted) break
      if (round === 1 && !(await options.isNodeHealthy())) return null
      if (round > 0) await pause(Math.max(pauseMs, retryMinMs * round), options.signal)
      const callsMax = Math.min(this.#batches.callsMax, options.batchCallsMax)
      const batches = packed(open, Math.floor(callsMax * share))
      const waits = batches.map((batch) => this.#slots(() => this.#askBatch(batch, options)))
      pauseMs = Math.max(...(await Promise.all(waits)))
    }
    this.#report(all, options)
    return all.map((group) => ({ answers: group.answers, end: endOf(group) }))
  }

  /** Calls that the node takes in one request. */
  get callsMax(): number {
    return this.#batches.callsMax
  }

  /** The answers to one request, sent once; null if it fails. `responseBytesMax`: of all. */
  async once(
    calls: readonly RpcCall[],
    options: Pick<BestEffortOptions, 'timeoutMs' | 'responseBytesMax' | 'signal'>,
  ): Promise<readonly RpcResponse[] | null> {
    try {
      return await this.#slots(() => this.#client.sendOnce(calls, options))
    } catch (cause) {
      if (cause instanceof BatchRefused) this.#batches.refused(calls.length)
      else if (cause instanceof SourceError) {
        this.#client.signals.metrics?.nodeRetries.inc({ reason: cause.kind })
      } else if (!(options.signal.aborted || cause instanceof ResponseTooLarge)) throw cause
      return null
    }
  }

  /** @returns for how long the node accepts no more requests, in ms */
  async #askBatch(groups: readonly PendingGroup[], options: BestEffortOptions): Promise<number> {
    const { signal, timeoutMs, isFinal, responseBytesMax } = options
    if (signal.aborted) return 0
    const asked = groups.flatMap((group) =>
      group.calls.flatMap((call, at) => (group.answers[at] === null ? { group, at, call } : [])),
    )
    const bounds = { signal, timeoutMs, responseBytesMax: responseBytesMax * asked.length }
    const calls = asked.map(({ call }) => call)
    try {
      const answers = await this.#client.sendOnce(calls, bounds)
      this.#batches.answered()
      for (const [index, { group, at }] of asked.entries()) {
        const answer = answers[index]
        if (answer && isFinal(answer)) group.answers[at] = answer
      }
    } catch (cause) {
      if (signal.aborted) return 0
      return this.#failed(cause, groups, asked.length)
    } finally {
      for (const group of groups) group.wasAlone = groups.length === 1 && !signal.aborted
    }
    return 0
  }

  #failed(cause: unknown, groups: readonly PendingGroup[], callsCount: number): number {
    if (cause instanceof ResponseTooLarge) {
      for (const group of groups) group.isTooLarge = groups.length === 1
      return 0
    }
    if (cause instanceof BatchRefused) {
      this.#batches.refused(callsCount)
      return 0
    }
    if (!(cause instanceof SourceError)) throw cause
    this.#client.signals.metrics?.nodeRetries.inc({ reason: cause.kind })
    return cause instanceof RateLimited ? cause.retryAfterMs : 0
  }

  #report(groups: readonly PendingGroup[], { kind }: BestEffortOptions): void {
    // Aborted by this process: no evidence about the node.
    if (this.#client.closing.aborted || groups.length === 0) return
    const { log, metrics } = this.#client.signals
    const countOf = (end: GroupResult['end']) =>
      groups
        .filter((group) => endOf(group) === end)
        .reduce((sum, { answers }) => sum + answers.filter((it) => it === null).length, 0)
    this.#cutOffs[kind] = countOf('cut-off') === 0 ? 0 : this.#cutOffs[kind] + 1
    for (const reason of noAnswer) {
      const count = countOf(reason)
      if (count === 0) continue
      metrics?.nodeUnanswered.inc({ kind, reason }, count)
      const fields = { event: events.node.unanswered, kind, reason, count }
      const sentence = `${count} calls for a ${kind} have no answer`
      // A contract may fail forever; a time limit that is always too short concerns the operator of
      // the node.
      if (reason === 'failed') log.debug(fields, `${sentence}: the contract or its node fails`)
      else if (this.#cutOffs[kind] <= cutOffsTolerated) log.info(fields, `${sentence} in time`)
      else log.warn({ ...fields, runbook: runbooks.unanswered }, `${sentence} in time`)
    }
  }
}

const isOpen = ({ answers }: PendingGroup): boolean => answers.includes(null)

function endOf(group: PendingGroup): GroupResult['end'] {
  if (!isOpen(group)) return 'answered'
  return group.wasAlone ? 'failed' : 'cut-off'
}

/** Batches of whole groups, in order; a larger group goes alone. */
function packed(
  groups: readonly PendingGroup[],
  callsMax: number,
): readonly (readonly PendingGroup[])[] {
  const batches: PendingGroup[][] = []
  let calls = 0
  for (const group of groups) {
    const batch = batches.at(-1)
    const count = group.answers.filter((answer) => answer === null).length
    if (batch && calls + count <= callsMax) {
      batch.push(group)
      calls += count
    } else {
      batches.push([group])
      calls = count
    }
  }
  return batches
}
