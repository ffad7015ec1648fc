import type { InstanceFact } from '../../libs/topics/facts/instance-facts.ts'
import { instanceFactOf } from './documents/instance-fact.ts'
import type { Fetched, FetchFault } from './fetch-nft.ts'
import type { EnricherLimits } from './limits.ts'
import type { DueNft, Settled } from './nft-queue.ts'

/** The end of an attempt. */
export interface NftResult extends Settled {
  /** Null where the log is to say nothing of it. */
  readonly fact: InstanceFact | null
  /** Label of the metric; null for an attempt that did not take place. */
  readonly word: string | null
}

interface ResultOptions {
  /** In ms since 1970. */
  readonly now: number
  /** For how long the document was fetched or, of one without an answer, the node asked, in ms. */
  readonly tookMs: number
  readonly limits: Pick<
    EnricherLimits,
    | 'pausesMs'
    | 'contentPausesFrom'
    | 'ratePausesTo'
    | 'busyPauseMs'
    | 'contractSpacingMs'
    | 'restMaxMs'
  >
}

/** Times as long as its call took. */
const unansweredRests = 10

/** What an attempt means for the queue and for the log. */
export function resultOf(nft: DueNft, fetched: Fetched, options: ResultOptions): NftResult {
  const { now, tookMs, limits } = options
  if (fetched.kind === 'busy') {
    const outcome = { kind: 'put-off' } as const
    return { nft, outcome, restMs: limits.busyPauseMs, fact: null, word: null }
  }
  const { token, tokenId } = nft
  const about = { token, tokenId, time: Math.floor(now / 1_000) }
  // Who is slow has turns as rarely; a contract that does not answer delays others at the node.
  const isUnanswered = fetched.kind === 'failed' && fetched.result === 'unanswered'
  const slowMs = Math.round(tookMs) * (isUnanswered ? unansweredRests : 1)
  const isLimited = fetched.kind === 'failed' && fetched.fault === 'rate'
  const restMinMs = isLimited ? limits.busyPauseMs : limits.contractSpacingMs
  const restMs = Math.min(limits.restMaxMs, Math.max(restMinMs, slowMs))
  if (fetched.kind !== 'failed') {
    const fact = instanceFactOf({ ...about, result: fetched })
    return { nft, outcome: { kind: 'filled' }, restMs, fact, word: fetched.kind }
  }
  // A node that is a block behind knows nothing of an NFT that has just come.
  const isNew = fetched.result === 'no-uri' && nft.failures === 0
  const nextAt = now + pauseAfter(nft.failures, isNew ? 'server' : fetched.fault, limits)
  const nextAttempt = Math.ceil(nextAt / 1_000)
  const failure = { kind: 'failure', reason: fetched.reason, nextAttempt } as const
  // What is shown was right once, and is more than nothing: the server may come back.
  const fact = nft.isFilled ? null : instanceFactOf({ ...about, result: failure })
  return { nft, outcome: { kind: 'failed', nextAt }, restMs, fact, word: fetched.result }
}

/** In ms, after so many failures before this one. */
function pauseAfter(
  failures: number,
  fault: FetchFault,
  { pausesMs, contentPausesFrom, ratePausesTo }: ResultOptions['limits'],
): number {
  const at = {
    content: Math.max(failures, contentPausesFrom),
    server: failures,
    rate: Math.min(failures, ratePausesTo),
  }
  return pausesMs[at[fault]] ?? pausesMs.at(-1) ?? 0
}
