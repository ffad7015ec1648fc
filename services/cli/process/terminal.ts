/** A stream to a terminal; of `process.stdout` what is needed here. */
export interface TerminalStream {
  readonly columns?: number
  write(chunk: string | Uint8Array, ...rest: unknown[]): boolean
}

/**
 * A status line below everything else that this process writes to its terminal. From its creation
 * on it watches the streams: what others write appears above the line, which is drawn again.
 */
export class Terminal {
  private readonly out: TerminalStream
  private readonly writeUnwatched: (text: string) => void
  /** Empty while there is none. */
  private shown = ''
  /** Whether others wrote a line without its end so far. */
  private isInLine = false

  /** @param others streams to the same terminal */
  constructor(out: TerminalStream, others: readonly TerminalStream[] = []) {
    this.out = out
    const write = out.write.bind(out)
    this.writeUnwatched = (text) => void write(text)
    for (const stream of new Set([out, ...others])) this.watch(stream)
  }

  /** Characters of a row. */
  get columns(): number {
    return this.out.columns || columnsByDefault
  }

  /** Replaces the status line; a longer one than a row is cut. */
  showStatus(line: string): void {
    if (line === this.shown) return
    this.shown = line
    if (!this.isInLine) this.writeUnwatched(erased + this.drawn())
  }

  /** Removes the status line until the next one is shown. */
  endStatus(): void {
    if (this.shown !== '' && !this.isInLine) this.writeUnwatched(erased)
    this.shown = ''
  }

  print(line: string): void {
    this.out.write(`${line}\n`)
  }

  private watch(stream: TerminalStream): void {
    const write = stream.write.bind(stream)
    stream.write = (chunk, ...rest) => {
      if (this.shown !== '' && !this.isInLine) this.writeUnwatched(erased)
      const isTaken = write(chunk, ...rest)
      if (chunk.length > 0) this.isInLine = !endsLine(chunk)
      if (this.shown !== '' && !this.isInLine) this.writeUnwatched(this.drawn())
      return isTaken
    }
  }

  /** The cursor stays at the start: it is there still if a narrower terminal wraps the line. */
  private drawn(): string {
    return `${[...this.shown].slice(0, this.columns - 1).join('')}\r`
  }
}

const columnsByDefault = 80
const lineEnd = '\n'.charCodeAt(0)

/** All from the start of the status line on: the whole line, wrapped or not. */
const erased = '\u001b[J'

const endsLine = (chunk: string | Uint8Array): boolean =>
  typeof chunk === 'string' ? chunk.endsWith('\n') : chunk.at(-1) === lineEnd
