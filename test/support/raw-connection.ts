import { connect, type Socket } from 'node:net'

/** A response as it came over the wire; its length was as announced. */
export interface RawResponse {
  readonly status: number
  /** By lower-case names. */
  readonly headers: ReadonlyMap<string, string>
  /** Undecoded; empty in response to HEAD. */
  readonly body: Buffer
}

/** `none`: closed before the first byte; `cut`: closed in the middle; `garbled`: no HTTP. */
export type RawOutcome = RawResponse | 'none' | 'cut' | 'garbled'

interface Expected {
  readonly isHead: boolean
  readonly resolve: (outcome: RawOutcome) => void
}

interface Head extends Omit<RawResponse, 'body'> {
  /** Of the body; null: until the connection is closed. */
  readonly bytes: number | null
}

/** Longer than a server takes for anything: what is not answered until then never will be. */
const silentMsMax = 60_000

/** A connection of HTTP/1.1 on which a test writes what it likes and reads strictly. */
export class RawConnection {
  readonly socket: Socket
  /** Whether bytes came that answer nothing. */
  hasSurplus = false
  isClosed = false
  readonly #expected: Expected[] = []
  #chunks: Buffer[] = []
  #bytes = 0
  #head: Head | null = null

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.socket.setTimeout(silentMsMax, () => this.socket.destroy())
    this.socket.on('error', () => {})
    this.socket.on('data', (chunk) => {
      this.#chunks.push(chunk)
      this.#bytes += chunk.length
      this.#read()
    })
    this.socket.on('close', () => this.#closed())
  }

  /** Writes bytes to which one response belongs. */
  ask(bytes: Buffer, isHead: boolean): Promise<RawOutcome> {
    if (this.isClosed) return Promise.resolve('none')
    this.socket.write(bytes)
    return this.expect(isHead)
  }

  /** The next response, after those that are expected already. */
  expect(isHead: boolean): Promise<RawOutcome> {
    if (this.isClosed) return Promise.resolve('none')
    return new Promise((resolve) => {
      this.#expected.push({ isHead, resolve })
    })
  }

  /** Ends it without a word to the other side, as a client that is gone. */
  leave(): void {
    this.socket.resetAndDestroy()
  }

  #read(): void {
    for (;;) {
      const [next] = this.#expected
      if (next === undefined) {
        this.hasSurplus ||= this.#bytes > 0
        return
      }
      this.#head ??= this.#takeHead(next.isHead)
      const head = this.#head
      if (head === null || head.bytes === null || this.#bytes < head.bytes) return
      this.#resolve({ ...head, body: this.#take(head.bytes) })
    }
  }

  #takeHead(isHead: boolean): Head | null {
    if (this.#bytes === 0) return null
    const all = this.#take(this.#bytes)
    const end = all.indexOf('\r\n\r\n')
    this.#chunks = [end === -1 ? all : all.subarray(end + 4)]
    this.#bytes = this.#chunks[0]?.length ?? 0
    if (end === -1) return null
    const head = headOf(all.subarray(0, end).toString('latin1'), isHead)
    if (head !== null) return head
    this.#resolve('garbled')
    this.socket.destroy()
    return null
  }

  #take(bytes: number): Buffer {
    const all = Buffer.concat(this.#chunks)
    this.#chunks = [all.subarray(bytes)]
    this.#bytes = all.length - bytes
    return all.subarray(0, bytes)
  }

  #resolve(outcome: RawOutcome): void {
    this.#head = null
    this.#expected.shift()?.resolve(outcome)
  }

  #closed(): void {
    this.isClosed = true
    const head = this.#head
    if (head?.bytes === null) this.#resolve({ ...head, body: this.#take(this.#bytes) })
    else if (head !== null || this.#bytes > 0) this.#resolve('cut')
    while (this.#expected.length > 0) this.#resolve('none')
  }
}

const statusLine = /^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\x20-\x7e\x80-\xff]*)$/
const bodiless = new Set([204, 304])

/** Null for what is no head of a response. */
function headOf(text: string, isHead: boolean): Head | null {
  const [first = '', ...lines] = text.split('\r\n')
  const status = Number(statusLine.exec(first)?.[1])
  if (Number.isNaN(status)) return null
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name, value = ''] = headerLine.exec(line) ?? []
    if (name === undefined) return null
    headers.set(name.toLowerCase(), value)
  }
  const length = headers.get('content-length')
  const said = length === undefined ? null : Number(length)
  return { status, headers, bytes: isHead || bodiless.has(status) ? 0 : said }
}
