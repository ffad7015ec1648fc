import type { IndexingProgress } from './face.ts'

const narrowestBar = 5

export interface ProgressLine {
  /** Between 0 and 1. */
  readonly done: number
  readonly facts: readonly string[]
}

/** A bar, its percentage and some facts, in one line that fits the terminal. */
export function progressLine({ done, facts }: ProgressLine, columns: number): string {
  const share = Math.min(1, Math.max(0, done))
  const words = [`${Math.floor(share * 100)}%`.padStart(4), ...facts]
  // The last column stays free: a cursor there would begin the next line.
  const room = columns - 1
  let text = words.join(' · ')
  while (words.length > 1 && text.length + narrowestBar + 3 > room) {
    words.pop()
    text = words.join(' · ')
  }
  const width = Math.max(narrowestBar, Math.min(30, room - text.length - 3))
  const filled = Math.round(share * width)
  return `  ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${text}`.slice(0, room)
}

/** How far the index is, the most important fact first: the last ones give way to a narrow line. */
export function reachLine(reach: IndexingProgress, columns: number): string {
  const { from, indexed, head, eventsPerSecond } = reach
  const done = head > from ? (indexed - from) / (head - from) : 1
  const rate = Math.round(eventsPerSecond).toLocaleString('en')
  const facts = [`${timeLeft(reach)} left`, `block ${indexed} of ${head}`, `${rate} events/s`]
  return progressLine({ done, facts }, columns)
}

/** From the blocks that are left, at the pace of the last seconds. */
export function timeLeft({
  indexed,
  head,
  blocksPerSecond,
}: Pick<IndexingProgress, 'indexed' | 'head' | 'blocksPerSecond'>): string {
  if (indexed >= head) return '0 s'
  if (blocksPerSecond <= 0) return '? s'
  const seconds = Math.ceil((head - indexed) / blocksPerSecond)
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  if (seconds < 48 * 3_600) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} days`
}
