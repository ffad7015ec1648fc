import { SingleBar } from 'cli-progress'
import type { Face, Reach, ShownBlock } from './face.ts'

const barForm = '  {bar} {percentage}% · block {block} of {head} · {rate} events/s · {left} left'
const hashShown = 10
const namesWidth = 28

/** For people: a bar while catching up, then a line a block. */
export function terminalFace(out: NodeJS.WriteStream): Face {
  let bar: SingleBar | null = null
  const say = (line: string) => out.write(`${line}\n`)
  const endBar = () => {
    bar?.stop()
    bar = null
  }
  return {
    starting: (source) => say(`foldscan is starting on ${source}`),
    listening: (origin) => say(`answering on ${origin} (a page to try it: ${origin}/docs)`),
    reached(reach) {
      if (!bar) {
        bar = new SingleBar({
          format: barForm,
          stream: out,
          hideCursor: true,
          clearOnComplete: true,
        })
        bar.start(reach.head - reach.from, reach.indexed - reach.from, payload(reach))
      }
      bar.setTotal(reach.head - reach.from)
      bar.update(reach.indexed - reach.from, payload(reach))
    },
    block(block) {
      endBar()
      say(blockLine(block))
    },
    urls(urls) {
      endBar()
      say('worth opening:')
      for (const { what, url } of urls) say(`  ${what.padEnd(namesWidth)} ${url}`)
    },
    // The list of what is worth opening says so.
    ready() {},
    stopping() {
      endBar()
      say('stopping')
    },
    stopped: () => say('stopped; the next start continues here'),
  }
}

export function blockLine(block: ShownBlock): string {
  const time = new Date(block.time * 1000).toISOString().slice(11, 19)
  const hash = `${block.hash.slice(0, hashShown)}…`
  const counts = `${plural(block.transactions, 'transaction')}, ${plural(block.transfers, 'transfer')}`
  return `${time} block ${block.number} ${hash} ${block.reverted ? 'was orphaned' : counts}`
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

const payload = (reach: Reach) => ({
  block: reach.indexed,
  head: reach.head,
  rate: Math.round(reach.eventsPerSecond).toLocaleString('en'),
  left: timeLeft(reach),
})

/** From the blocks that are left, at the pace of late. */
export function timeLeft({ indexed, head, blocksPerSecond }: Reach): string {
  if (indexed >= head) return '0 s'
  if (blocksPerSecond <= 0) return '?'
  const seconds = Math.ceil((head - indexed) / blocksPerSecond)
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600)} h`
}
