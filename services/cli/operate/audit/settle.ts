import { pause } from '../../../../libs/signals/pause.ts'
import type { Finding, PageLook } from './finding.ts'

/** Longer than a flush: rows of a block can be read a moment before Foldscan announces it. */
const usualPausesMs = [1_000, 1_000]

export interface SettleOptions {
  readonly signal: AbortSignal
  /** Runs a look in its turn: what waits for the next one keeps nobody from looking. */
  readonly inTurn: (look: () => Promise<PageLook>) => Promise<PageLook>
  /** Between the looks at a page until a difference counts, in ms; 1,000 twice by default. */
  readonly pausesMs?: readonly number[]
  /** Of tests. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/**
 * Looks again where something differs, or the chain moved: only what differs each time is a
 * difference, and what differs at times has moved. The same value by path and field; a page may
 * have others at a later block. A look that fails says nothing of those before.
 */
export async function settled(
  look: () => Promise<PageLook>,
  { signal, inTurn, pausesMs = usualPausesMs, wait = pause }: SettleOptions,
): Promise<PageLook> {
  let last = await inTurn(look)
  let { failure } = last
  const compared: PageLook[] = last.failure === null ? [last] : []
  for (const ms of pausesMs) {
    if (!isOpen(last) || signal.aborted) break
    await wait(ms, signal)
    const next = await inTurn(look)
    failure = next.failure
    if (next.failure !== null && compared.length > 0) continue
    last = next
    if (next.failure === null) compared.push(next)
  }
  if (compared.length > 1) return { ...last, findings: together(compared) }
  return compared.length === 0 || failure === null
    ? last
    : { findings: last.findings.map(unconfirmed), failure }
}

/** Seen once, and then there was no page or state to look at again. */
const unconfirmed = (finding: Finding): Finding =>
  finding.outcome === 'differing' ? { ...finding, outcome: 'moved' } : finding

const keyOf = ({ kind, path, field }: Finding): string => `${kind} ${path} ${field}`

const isOpen = ({ findings, failure }: PageLook): boolean =>
  failure?.side === 'moved' || findings.some(({ outcome }) => outcome === 'differing')

/** Findings of the last look, and what differed at another one only, with the values of that. */
function together(looks: readonly PageLook[]): readonly Finding[] {
  const differed = new Map<string, Finding[]>()
  for (const finding of looks.flatMap(({ findings }) => findings)) {
    if (finding.outcome !== 'differing') continue
    differed.set(keyOf(finding), [...(differed.get(keyOf(finding)) ?? []), finding])
  }
  const moved = new Map<string, Finding>()
  for (const [key, [first, ...others]] of differed) {
    if (first === undefined || others.length + 1 === looks.length) continue
    moved.set(key, { ...first, outcome: 'moved' })
  }
  const last = looks.at(-1)?.findings ?? []
  const others = last.filter((finding) => !moved.has(keyOf(finding)))
  return [...others, ...moved.values()]
}
