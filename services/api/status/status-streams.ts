import type { OnStream, ResponseStream } from '../../../libs/ports/http.ts'

export interface StatusStreamLimits {
  /** Open streams of this process; each takes a connection and about a kilobyte a second. */
  readonly streamsMax: number
  /** Of one client: the others keep places. */
  readonly streamsPerClientMax: number
  /** Interval of events. */
  readonly everyMs: number
  /** After which a stream is ended: its client connects again, perhaps to another process. */
  readonly lifeMsMax: number
  /** After which the stream of a client that does not read is ended. */
  readonly unreadMsMax: number
}

const statusStreamLimits: StatusStreamLimits = {
  streamsMax: 100,
  streamsPerClientMax: 25,
  everyMs: 1_000,
  lifeMsMax: 3_600_000,
  unreadMsMax: 10_000,
}

interface StatusStreamsOptions {
  /** What is shown now, by section; called only while somebody watches. */
  readonly sections: () => Readonly<Record<string, unknown>>
  readonly onFailure: (error: unknown) => void
  readonly limits?: Partial<StatusStreamLimits>
  /** In ms, of a clock that only advances. */
  readonly now?: () => number
}

interface Viewer {
  readonly client: string
  readonly since: number
  /** When it first did not take an event; null if it took the last one. */
  unreadSince: number | null
  /** Whether it got all sections: otherwise the next event has all, not only what changed. */
  isComplete: boolean
}

/** By section, as JSON. */
type Texts = ReadonlyMap<string, string>

/**
 * Streams of the status page, as server-sent events: one event a second, the same bytes for all, of
 * the sections that changed. A client that reads slowly misses events and then gets all sections.
 */
export class StatusStreams {
  private readonly options: StatusStreamsOptions
  private readonly limits: StatusStreamLimits
  private readonly now: () => number
  private readonly viewers = new Map<ResponseStream, Viewer>()
  private texts: Texts = new Map()
  private timer: NodeJS.Timeout | null = null

  constructor(options: StatusStreamsOptions) {
    this.options = options
    this.limits = { ...statusStreamLimits, ...options.limits }
    this.now = options.now ?? (() => performance.now())
  }

  /** Whose places are taken, if this client gets no stream. */
  refusal(client: string): 'client' | 'all' | null {
    const { streamsMax, streamsPerClientMax } = this.limits
    if (this.viewers.size >= streamsMax) return 'all'
    const own = [...this.viewers.values()].filter((viewer) => viewer.client === client)
    return own.length >= streamsPerClientMax ? 'client' : null
  }

  /** Sends all sections at once, and then what changes. */
  readonly begin =
    (client: string): OnStream =>
    (stream) => {
      // Its place may have been taken while its limit was asked.
      if (this.refusal(client) !== null) return stream.end()
      const viewer = { client, since: this.now(), unreadSince: null, isComplete: false }
      this.viewers.set(stream, viewer)
      stream.onEnd(() => this.remove(stream))
      if (this.timer === null) this.start()
      this.send(stream, viewer, eventOf(this.texts))
    }

  /** Sends the next event; called by a timer while there are streams. */
  tick(): void {
    const changed = this.changedTexts()
    const [event, all] = [eventOf(changed), eventOf(this.texts)]
    for (const [stream, viewer] of [...this.viewers]) {
      if (this.now() - viewer.since >= this.limits.lifeMsMax) stream.end()
      else this.send(stream, viewer, viewer.isComplete ? event : all)
    }
  }

  stop(): void {
    for (const stream of [...this.viewers.keys()]) stream.end()
  }

  private start(): void {
    this.changedTexts()
    this.timer = setInterval(() => this.tick(), this.limits.everyMs)
    this.timer.unref()
  }

  private remove(stream: ResponseStream): void {
    this.viewers.delete(stream)
    if (this.viewers.size > 0 || this.timer === null) return
    clearInterval(this.timer)
    this.timer = null
  }

  private send(stream: ResponseStream, viewer: Viewer, event: Buffer): void {
    if (stream.send(event)) {
      viewer.unreadSince = null
      viewer.isComplete = true
      return
    }
    viewer.isComplete = false
    viewer.unreadSince ??= this.now()
    if (this.now() - viewer.unreadSince >= this.limits.unreadMsMax) stream.end()
  }

  /** Since the last call. A failure ends no stream: it would show the same to the next one. */
  private changedTexts(): Texts {
    const before = this.texts
    try {
      const sections = Object.entries(this.options.sections())
      this.texts = new Map(sections.map(([name, section]) => [name, JSON.stringify(section)]))
    } catch (error) {
      this.options.onFailure(error)
    }
    return new Map([...this.texts].filter(([name, text]) => before.get(name) !== text))
  }
}

/** JSON has no line ends, which would end an event. */
function eventOf(texts: Texts): Buffer {
  const members = [...texts].map(([name, text]) => `${JSON.stringify(name)}:${text}`)
  return Buffer.from(`data: {${members.join(',')}}\n\n`)
}
