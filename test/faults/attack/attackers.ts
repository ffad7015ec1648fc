import { statusStreamPath } from '../../../services/api/status/status-page.ts'
import { type Random, random as seeded } from '../../queries/random.ts'
import { RawConnection } from '../../support/raw-connection.ts'
import { AnswersSeen } from './answers-seen.ts'
import {
  type AttackRequest,
  attackRequest,
  plainRequest,
  repeatedRequest,
  type Targets,
  targetOf,
} from './attack-requests.ts'
import { headBytesOfLibrary } from './judged-response.ts'

/** What a process that is attacked listens on. */
export interface Attacked {
  readonly pid: number
  readonly port: number
}

export interface AttackOptions {
  readonly attacked: readonly Attacked[]
  readonly targets: Targets
  readonly seed: number
  /** A list whose newest item is of the newest block; requested more often than others. */
  readonly freshest: string
  /** Called whenever some were sent. */
  readonly onSent: (sent: number) => void
}

const clientsMax = 40
/** Of a thousand acts: for pages that were shown before. All others are as new as can be. */
const repeatedShare = 865
const repeatedAtOnceMax = 8
const actsBetweenRepeatedAtOnce = 32
const burstMax = 96
const pipelinedMax = 12
const slowReadersMax = 8
const waitingMax = 64
/** More than the api has streams for one client. */
const watchersMax = 40
const slowReaderRequests = 24
/** Requests of others while a slow reader does not read, or somebody waits for what never comes. */
const slowForRequests = 600
const lookEveryMs = 20
/** Between the numbers of random sequences of neighbouring requests. */
const stride = 0x9e3779b1

/** Many clients of many manners, none of which waits for another. */
export class Attackers {
  readonly answers: AnswersSeen
  /** Requests by the manner in which they were sent. */
  readonly manners = new Map<string, number>()
  sent = 0
  readonly #options: AttackOptions
  readonly #slowReaders = new Set<Promise<void>>()
  readonly #watchers = new Set<Promise<void>>()
  /** Those who sent what may get no answer at all. */
  readonly #waiting = new Set<Promise<void>>()
  #number = 0
  /** The slow wait for the others: these may be done. */
  #isOver = false

  constructor(options: AttackOptions) {
    this.#options = options
    this.answers = new AnswersSeen(options.targets, options.freshest)
  }

  /** Sends until so many were sent in all, or longer while `goesOn`. */
  async run(sentMin: number, goesOn: () => boolean = () => false): Promise<void> {
    this.#isOver = false
    const client = async () => {
      const kept: Kept = new Map()
      while (this.sent < sentMin || goesOn()) await this.#act(kept)
      for (const connection of kept.values()) connection.leave()
    }
    await Promise.all(Array.from({ length: clientsMax }, client))
    this.#isOver = true
    await Promise.all([...this.#slowReaders, ...this.#watchers, ...this.#waiting])
  }

  /** One act of one client. */
  async #act(kept: Kept): Promise<void> {
    const { seed, attacked, targets } = this.#options
    const random = seeded(seed + this.#number++ * stride)
    const process = random.oneOf(attacked)
    const known = random.below(1_000) < repeatedShare ? targets.pages.one(random) : null
    if (known !== null) return await this.#repeated(random, { process, kept })
    const manner = random.below(1_000)
    const open = () => new RawConnection(process.port)
    if (manner < 3) await this.#burst(random, process)
    else if (manner < 20) await this.#pipelined(random, process)
    else if (manner < 60) await this.#leaves(random, open())
    else if (manner < 75) await this.#writesSlowly(attackRequest(random, targets), process)
    else if (manner < 80) this.#readsSlowly(random, process)
    else if (manner < 85) this.#watches(process)
    else if (manner < 180) await this.#whole(plainRequest(this.#options.freshest), process, open())
    else await this.#plain(attackRequest(random, targets), { process, kept })
  }

  /** Pages that were shown before, one after the other or several in one write. */
  async #repeated(random: Random, { process, kept }: From): Promise<void> {
    const { targets, freshest } = this.#options
    const repeated = () => {
      const page = targets.pages.one(random)
      return page === null ? plainRequest(freshest) : repeatedRequest(random, page)
    }
    if (random.below(actsBetweenRepeatedAtOnce) > 0)
      return await this.#onKept('repeated', repeated(), { process, kept })
    const requests = Array.from({ length: 2 + random.below(repeatedAtOnceMax - 1) }, repeated)
    await this.#atOnce('repeated at once', requests, process)
  }

  /** Most clients: one request after the other on one connection. */
  async #plain(request: AttackRequest, from: From): Promise<void> {
    const { process } = from
    if (request.isOutside) this.#outside(request, process)
    else if (request.isLast) await this.#whole(request, process, new RawConnection(process.port))
    else await this.#onKept('plain', request, from)
  }

  async #onKept(manner: string, request: AttackRequest, from: From): Promise<void> {
    const { process, kept } = from
    const before = kept.get(process.port)
    const isUsable = before !== undefined && !before.isClosed
    const connection = isUsable ? before : new RawConnection(process.port)
    kept.set(process.port, connection)
    this.#count(manner, 1)
    const beganAt = performance.now()
    const outcome = await connection.ask(request.bytes, request.method === 'HEAD')
    // A server may close what was idle just when the next request comes.
    if (outcome === 'none' && isUsable) return await this.#onKept(manner, request, from)
    this.answers.judge(request, outcome, { pid: process.pid, beganAt })
  }

  /** On a connection of its own. */
  async #whole(
    request: AttackRequest,
    process: Attacked,
    connection: RawConnection,
  ): Promise<void> {
    this.#count('once', 1)
    const beganAt = performance.now()
    const outcome = await connection.ask(request.bytes, request.method === 'HEAD')
    this.answers.judge(request, outcome, { pid: process.pid, beganAt })
    connection.leave()
  }

  /** The library closes some of these connections late, and without a word. */
  #outside(request: AttackRequest, process: Attacked): void {
    const asking = async () => {
      this.#count('outside of HTTP', 1)
      const connection = new RawConnection(process.port)
      const beganAt = performance.now()
      const outcome = connection.ask(request.bytes, false)
      await Promise.race([outcome, this.#others()])
      connection.leave()
      this.answers.judge(request, await outcome, { pid: process.pid, beganAt })
    }
    beside(this.#waiting, waitingMax, asking)
  }

  /** Until the others have sent many requests. */
  async #others(): Promise<void> {
    const enough = this.sent + slowForRequests
    while (this.sent < enough && !this.#isOver) {
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    }
  }

  /** All at once, half of the time for one page that nobody has. */
  async #burst(random: Random, process: Attacked): Promise<void> {
    const { targets } = this.#options
    const one = targetOf(random, targets)
    const isOfOne = random.below(2) === 0
    const requests = Array.from({ length: burstMax }, () =>
      plainRequest(isOfOne ? one : targetOf(random, targets)),
    )
    this.#count('burst', burstMax)
    await Promise.all(
      requests.map(async (request) => {
        const connection = new RawConnection(process.port)
        const beganAt = performance.now()
        const outcome = await connection.ask(request.bytes, false)
        this.answers.judge(request, outcome, { pid: process.pid, beganAt })
        connection.leave()
      }),
    )
  }

  async #pipelined(random: Random, process: Attacked): Promise<void> {
    const { targets } = this.#options
    const requests = Array.from({ length: 2 + random.below(pipelinedMax) }, () =>
      plainRequest(targetOf(random, targets)),
    )
    await this.#atOnce('pipelined', requests, process)
  }

  /**
   * The library closes a connection on which a request comes before the answer to another, or
   * before a socket has taken all of it.
   */
  async #atOnce(
    manner: string,
    requests: readonly AttackRequest[],
    process: Attacked,
  ): Promise<void> {
    this.#count(manner, requests.length)
    const connection = new RawConnection(process.port)
    const beganAt = performance.now()
    const expected = requests.map(({ method }) => connection.expect(method === 'HEAD'))
    connection.socket.write(Buffer.concat(requests.map(({ bytes }) => bytes)))
    const outcomes = await Promise.all(expected)
    for (const [at, outcome] of outcomes.entries()) {
      const request = requests[at]
      const isClosedByNext = outcome === 'cut' && at < outcomes.length - 1
      if (outcome === 'none' || isClosedByNext || request === undefined) this.answers.tally(0)
      else this.answers.judge(request, outcome, { pid: process.pid, beganAt })
    }
    if (connection.hasSurplus) this.answers.complain('more responses than requests')
    connection.leave()
  }

  /** Sends all of a request or a part, and is gone: at once, or a little later. */
  async #leaves(random: Random, connection: RawConnection): Promise<void> {
    const { bytes } = attackRequest(random, this.#options.targets)
    this.#count('left', 1)
    const part = random.below(3) === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes
    const gone = connection.ask(part, false)
    for (let turns = random.below(40); turns > 0; turns--) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    connection.leave()
    await gone
    this.answers.tally(0)
  }

  /** After the request line, which has to be in one piece, a header at a time. */
  async #writesSlowly(request: AttackRequest, process: Attacked): Promise<void> {
    if (request.isOutside) return this.#outside(request, process)
    this.#count('slow to write', 1)
    const connection = new RawConnection(process.port)
    const { bytes } = request
    const beganAt = performance.now()
    const outcome = connection.expect(request.method === 'HEAD')
    const pieceBytes = Math.max(16, Math.ceil(bytes.length / 8))
    const first = bytes.indexOf('\r\n') + 2
    connection.socket.write(bytes.subarray(0, first))
    for (let at = first; at < bytes.length && !connection.isClosed; at += pieceBytes) {
      await new Promise((resolve) => setImmediate(resolve))
      connection.socket.write(bytes.subarray(at, at + pieceBytes))
    }
    const answer = await outcome
    // The library answers 431 to the first piece and closes; the pieces after it are refused, and
    // Node gives up the socket with what it has not read: 222 of 4,000 lost the 431.
    const isLost = answer === 'none' && bytes.length >= headBytesOfLibrary
    if (isLost) this.answers.tally(0)
    else this.answers.judge(request, answer, { pid: process.pid, beganAt })
    connection.leave()
  }

  /** Asks for page after page and reads nothing, until others have sent many requests. */
  #readsSlowly(random: Random, process: Attacked): void {
    const { targets } = this.#options
    const reading = async () => {
      const connection = new RawConnection(process.port)
      connection.socket.pause()
      this.#count('slow to read', slowReaderRequests)
      const bytes = Array.from({ length: slowReaderRequests }, () => {
        const path = `/api/v2/addresses/${random.oneOf(targets.addresses)}/transactions`
        return plainRequest(`${path}?items_count=100`).bytes
      })
      connection.socket.write(Buffer.concat(bytes))
      await this.#others()
      connection.leave()
      for (let at = 0; at < slowReaderRequests; at++) this.answers.tally(0)
    }
    beside(this.#slowReaders, slowReadersMax, reading)
  }

  /** Opens a stream of the status page, and reads nothing of it. */
  #watches(process: Attacked): void {
    const watching = async () => {
      const connection = new RawConnection(process.port)
      connection.socket.pause()
      this.#count('watching', 1)
      connection.socket.write(plainRequest(statusStreamPath).bytes)
      await this.#others()
      connection.leave()
      this.answers.tally(0)
    }
    beside(this.#watchers, watchersMax, watching)
  }

  #count(manner: string, requests: number): void {
    this.sent += requests
    this.manners.set(manner, (this.manners.get(manner) ?? 0) + requests)
    this.#options.onSent(this.sent)
  }
}

/** Connections of one client, by port. */
type Kept = Map<number, RawConnection>

interface From {
  readonly process: Attacked
  readonly kept: Kept
}

/** Goes on beside the others, unless so many do already. */
function beside(all: Set<Promise<void>>, max: number, act: () => Promise<void>): void {
  if (all.size >= max) return
  const one: Promise<void> = act().finally(() => all.delete(one))
  all.add(one)
}
