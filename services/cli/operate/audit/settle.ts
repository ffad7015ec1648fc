import { pause } from '../../../../libs/signals/pause.ts'
import type { Failure, Finding, Look } from './finding.ts'

/** Looks at one page until a difference counts. */
const looksMax = 3
/** Longer than a flush: rows of a block can be read a moment before Foldscan announces it. */
const betweenLooksMs = 1_000

export interface SettleOptions {
  readonly signal: AbortSignal
  /** Of tests. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Looks again where something differs, or the chain moved: only what differs each time is a
 * difference. The same value by path and field; a page may have others at a later block.
 */
export async function settled(
  look: () => Promise<Look>,
  { signal, wait = pause }: SettleOptions,
): Promise<Look> {
  let last = await look()
  let differed = differing(last)
  for (let looks = 1; looks < looksMax && isOpen(last) && !signal.aborted; looks++) {
    await wait(betweenLooksMs, signal)
    const before: Look = last
    last = await look()
    // A look that failed says nothing of those before.
    if (last.failure !== null && before.failure === null) last = before
    else if (before.failure !== null) differed = differing(last)
    else {
      const still = differing(last)
      last = { ...last, findings: last.findings.map((one) => movedUnless(one, differed, still)) }
      differed = new Set([...still].filter((key) => differed.has(key)))
    }
  }
  return last
}

const keyOf = ({ kind, path, field }: Finding): string => `${kind} ${path} ${field}`

const differing = ({ findings }: Look): ReadonlySet<string> =>
  new Set(findings.filter(({ outcome }) => outcome === 'differing').map(keyOf))

/** A value that differs now and did not before, or did before and does not now. */
function movedUnless(
  finding: Finding,
  before: ReadonlySet<string>,
  now: ReadonlySet<string>,
): Finding {
  const key = keyOf(finding)
  return before.has(key) === now.has(key) ? finding : { ...finding, outcome: 'moved' }
}

const isOpen = ({ findings, failure }: Look): boolean =>
  isRetried(failure) || findings.some(({ outcome }) => outcome === 'differing')

const isRetried = (failure: Failure | null): boolean => failure?.side === 'moved'
