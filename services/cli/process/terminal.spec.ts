import headless from '@xterm/headless'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startLogger } from '../../../libs/signals/logger.ts'
import { startingLine } from '../up/console-ui.ts'
import { terminalUi } from '../up/terminal-ui.ts'
import { readableLog } from './process-log.ts'
import { Terminal } from './terminal.ts'

/** A terminal of a few columns, and what stands on it after all writes so far. */
function virtualTerminal(columns = 80) {
  const screen = new headless.Terminal({ cols: columns, rows: 10, allowProposedApi: true })
  const out = {
    get columns() {
      return screen.cols
    },
    // As a terminal's driver: a line end also returns to the first column.
    write(chunk: string | Uint8Array) {
      screen.write(String(chunk).replaceAll('\n', '\r\n'))
      return true
    },
  }
  /** Another stream to it. */
  const errors = { write: out.write }
  const written = () => new Promise<void>((resolve) => screen.write('', resolve))
  async function lines(): Promise<string[]> {
    await written()
    const { active } = screen.buffer
    const rows = Array.from({ length: active.length }, (_, at) => active.getLine(at))
    const whole: string[] = []
    for (const row of rows) {
      const text = row?.translateToString(true) ?? ''
      if (row?.isWrapped) whole.push((whole.pop() ?? '') + text)
      else whole.push(text)
    }
    while (whole.at(-1) === '') whole.pop()
    return whole
  }
  const resize = async (cols: number) => {
    await written()
    screen.resize(cols, screen.rows)
  }
  return { out, errors, lines, resize }
}

const reach = { from: 0, head: 113, eventsPerSecond: 60, blocksPerSecond: 1 }
const block = { hash: `0x${'ab'.repeat(32)}`, time: 1_795_814_000, transactions: 4, transfers: 2 }

describe('the terminal of foldscan up', () => {
  it.each([
    ['demo', 'demo'],
    ['wss://user:key@node.example/v3/secret?token=x', 'wss://node.example/…'],
  ])('begins with its source, without what is secret: %s', (source, shown) => {
    expect(startingLine(source)).toBe(`Foldscan is starting on ${shown}`)
  })

  it('keeps a warning whole that is logged while the progress bar is shown', async () => {
    const { out, errors, lines } = virtualTerminal()
    const ui = terminalUi(out, [errors])
    const log = startLogger({ level: 'warn', service: 'up', to: readableLog(errors) })
    const sentence = `6 calls for a trace have no answer in time: ${'cut off at a margin '.repeat(5)}`
    for (let indexed = 0; indexed < 8; indexed++) {
      ui.progress({ ...reach, indexed })
      if (indexed === 3) log.warn({ event: 'node.unanswered', runbook: 'a page' }, sentence.trim())
    }
    const barred = await lines()
    expect(barred.at(-1)).toContain('block 7 of 113')
    for (let number = 113; number < 119; number++) ui.block({ ...block, number, reverted: false })
    const shown = await lines()
    expect(shown[0]).toMatch(new RegExp(`^\\[.*\\] WARN.*: ${sentence.trim()}$`))
    expect(shown[1]?.trim()).toBe('runbook: "a page"')
    const blocks = shown.slice(2)
    expect(blocks).toHaveLength(6)
    for (const line of blocks) expect(line).toMatch(/^\S+ \S+ block 11\d \S+ 4 \w+, 2 transfers$/)
  })

  it('says once that everything is indexed, and leaves nothing of the bar', async () => {
    const { out, lines } = virtualTerminal()
    const ui = terminalUi(out, [])
    ui.progress({ ...reach, indexed: 110 })
    ui.indexed({ block: 113, isFinal: false })
    ui.progress({ ...reach, indexed: 100 })
    ui.indexed({ block: 12, isFinal: true })
    expect(await lines()).toEqual([
      'all blocks up to block 113 are indexed; new ones follow',
      'all blocks of the source are indexed, up to block 12; it has no more',
    ])
  })

  it('shows each written line once and whole, whatever is written between', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '█', '\n'), maxLength: 60 })
    const status = fc.string({ unit: fc.constantFrom('x', '█'), maxLength: 40 })
    const act = fc.oneof(
      fc.record({ status }),
      fc.record({ chunk: text, isError: fc.boolean(), isBytes: fc.boolean() }),
      fc.constant({ end: true }),
    )
    const property = fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (acts) => {
      const { out, errors, lines } = virtualTerminal(20)
      const terminal = new Terminal(out, [errors])
      let expected = ''
      for (const one of acts) {
        if ('status' in one) terminal.showStatus(one.status)
        else if ('end' in one) terminal.endStatus()
        else {
          expected += one.chunk
          const stream = one.isError ? errors : out
          stream.write(one.isBytes ? Buffer.from(one.chunk) : one.chunk)
        }
      }
      terminal.endStatus()
      const trimmed = (each: readonly string[]) => each.join('\n').replace(/ +$/gm, '').trimEnd()
      expect(trimmed(await lines())).toBe(trimmed(expected.split('\n')))
    })
    return fc.assert(property, { numRuns: 200 })
  })

  it.each([79, 40, 25])('leaves nothing of its bar once it has %i columns', async (columns) => {
    const { out, lines, resize } = virtualTerminal(80)
    const terminal = new Terminal(out)
    terminal.print('before')
    terminal.showStatus('x'.repeat(79))
    await resize(columns)
    terminal.print('after')
    terminal.endStatus()
    expect(await lines()).toEqual(['before', 'after'])
  })
})
