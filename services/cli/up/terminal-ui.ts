import { Terminal, type TerminalStream } from '../process/terminal.ts'
import {
  type BlockSummary,
  type ConsoleUi,
  type IndexingProgress,
  indexedLine,
  startsLateLine,
} from './console-ui.ts'

const hashShown = 10
const namesWidth = 28

/**
 * For people: a progress bar while mining and catching up, then a line per block.
 * @param others streams to the same terminal, such as that of the log
 */
export function terminalUi(
  out: TerminalStream,
  others: readonly TerminalStream[] = process.stderr.isTTY ? [process.stderr] : [],
): ConsoleUi {
  const terminal = new Terminal(out, others)
  const print = (line: string) => terminal.print(line)
  let begun: { readonly at: number; readonly mined: number } | null = null
  let isIndexing = false
  return {
    // Printed as the greeting of the command, before all of this was loaded.
    starting() {},
    mining({ mined, total }) {
      // While both go on, the blocks that can be read already are worth more.
      if (isIndexing) return
      begun ??= { at: Date.now(), mined }
      const seconds = (Date.now() - begun.at) / 1_000
      const blocksPerSecond = seconds < 1 ? 0 : (mined - begun.mined) / seconds
      const left = timeLeft({ indexed: mined, head: total, blocksPerSecond })
      const facts = [`${left} left`, `mining block ${mined} of ${total} of the demo chain`]
      terminal.showStatus(progressLine({ done: mined / total, facts }, terminal.columns))
    },
    listening: (origin) => print(`listening on ${origin} (API docs: ${origin}/docs)`),
    progress(reach) {
      isIndexing = true
      terminal.showStatus(reachLine(reach, terminal.columns))
    },
    block(block) {
      isIndexing = true
      terminal.endStatus()
      print(blockLine(block))
    },
    indexed(reach) {
      terminal.endStatus()
      print(indexedLine(reach))
    },
    urls(urls) {
      print('examples:')
      for (const { what, url } of urls) print(`  ${what.padEnd(namesWidth)} ${url}`)
    },
    startsLate: (block) => print(startsLateLine(block)),
    // The list of example URLs already shows it.
    ready() {},
    stopping() {
      terminal.endStatus()
      print('stopping')
    },
    stopped: () => print('stopped; the next start continues here'),
  }
}

export function blockLine(block: BlockSummary): string {
  const time = new Date(block.time * 1_000).toISOString().slice(0, 19).replace('T', ' ')
  const hash = `${block.hash.slice(0, hashShown)}…`
  const counts = `${plural(block.transactions, 'transaction')}, ${plural(block.transfers, 'transfer')}`
  return `${time} block ${block.number} ${hash} ${block.reverted ? 'was orphaned' : counts}`
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

const narrowestBar = 5

interface ProgressLine {
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
