import { events } from '../../libs/signals/events.ts'
import { until } from '../support/until.ts'
import type { Exit, Running } from '../up/running.ts'

/** Generous: a start takes seconds, but the machine may do other things, and servers be away. */
const beginMaxMs = 300_000
/** Of a service, when a condition was not met in time. */
const warningsShown = 5

/** The newest first. */
const warningsOf = ({ lines }: Running): string[] =>
  lines
    .filter(({ level }) => level === 'warn' || level === 'error' || level === 'fatal')
    .toReversed()
    .map((line) => JSON.stringify(line))

/** As `until`. @throws also with the last warnings of those services */
export async function untilReached(
  services: Iterable<KeptService>,
  ...condition: Parameters<typeof until>
): Promise<void> {
  await until(...condition).catch((error: unknown) => {
    const all = [...services].flatMap(({ name, lastWarnings }) => [`${name}:`, ...lastWarnings])
    throw new Error(`${String(error)}\n${all.join('\n')}`)
  })
}

/** A service that is started again whenever it ends, as a supervisor would. */
export class KeptService {
  readonly name: string
  /** Ends that nobody caused by SIGKILL, in order. */
  readonly ends: Exit[] = []
  /** All its lives, the newest first. */
  readonly lives: Running[] = []
  readonly #start: () => Running
  #isKept = true
  #isAway = false
  #between: () => void = () => {}

  constructor(name: string, start: () => Running) {
    this.name = name
    this.#start = start
    this.#live()
  }

  /** Its newest life. */
  get running(): Running {
    const [running] = this.lives
    if (running === undefined) throw new Error(`${this.name} has never run`)
    return running
  }

  /** Waits until what runs now has begun its work; a later life counts as well. */
  async begun(): Promise<void> {
    const has = () => this.running.lines.some(({ event }) => event === events.service.running)
    await untilReached([this], `${this.name} works`, has, beginMaxMs)
  }

  /** Its last lines of level warn and above, the newest first. */
  get lastWarnings(): string[] {
    return this.lives.flatMap(warningsOf).slice(0, warningsShown)
  }

  /**
   * SIGKILL; it comes back by itself.
   * @param between done before that
   * @returns whether that has ended it, and not something else before
   */
  async kill(between: () => void = () => {}): Promise<boolean> {
    const { running } = this
    this.#between = between
    running.kill('SIGKILL')
    return (await running.exited).signal === 'SIGKILL'
  }

  /** SIGKILL, and nobody starts it again. @returns what does */
  async away(): Promise<() => void> {
    this.#isAway = true
    await this.kill()
    return () => {
      if (this.#isAway && this.#isKept) this.#live()
      this.#isAway = false
    }
  }

  /** @returns what wakes it again */
  pause(): () => void {
    const { running } = this
    running.kill('SIGSTOP')
    return () => running.kill('SIGCONT')
  }

  /** Ends it for good. */
  async stop(): Promise<Exit> {
    this.#isKept = false
    this.running.kill('SIGCONT')
    this.running.kill('SIGTERM')
    return await this.running.exited
  }

  #live(): void {
    const running = this.#start()
    this.lives.unshift(running)
    void running.exited.then((exit) => {
      this.#between()
      this.#between = () => {}
      if (exit.signal !== 'SIGKILL' && this.#isKept) this.ends.push(exit)
      if (this.#isKept && !this.#isAway) this.#live()
    })
  }
}
