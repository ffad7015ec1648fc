import { type ChildProcess, fork } from 'node:child_process'
import { getHeapStatistics } from 'node:v8'
import type { Reason } from '../health.ts'
import { workerVariable } from './own-worker.ts'
import { type AnswerOfWorker, type AskedOfWorker, answerOfWorker } from './worker-messages.ts'

/** A worker as its supervisor sees it. */
export interface WorkerProcess {
  readonly pid: number
  /** Resolves with how it ended: `exit code 1`, `signal SIGKILL`. */
  readonly ended: Promise<string>
  /** Why it is not ready. @throws if it does not answer in time, or ends */
  readonly readiness: (timeoutMs: number) => Promise<readonly Reason[]>
  /** In the text format of Prometheus. @throws if it does not answer in time, or ends */
  readonly metrics: (timeoutMs: number) => Promise<string>
  readonly kill: (signal: 'SIGTERM' | 'SIGKILL') => void
}

interface ForkOptions {
  readonly number: number
  /** How many there are. */
  readonly count: number
  readonly port: number
}

/**
 * Starts this command once more, as one process without workers on that port. In a process group
 * of its own: Ctrl-C reaches the supervisor alone, which then stops its workers.
 */
export function forkWorker({ number, count, port }: ForkOptions): WorkerProcess {
  const [, program = '', ...words] = process.argv
  const given = `${process.execArgv.join(' ')} ${process.env.NODE_OPTIONS ?? ''}`
  const heapBytes = getHeapStatistics().heap_size_limit
  const child = fork(program, [...words, '--workers', '1', '--port', String(port)], {
    env: { ...process.env, [workerVariable]: String(number) },
    execArgv: [...process.execArgv, ...heapArguments({ count, heapBytes, given })],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  })
  return workerOf(child)
}

/** As much as Node gives one api process in a container of 768 MiB. */
const heapMibMin = 432

/**
 * Half as many collections of the young generation, which copy what lives, as with Node's 16 MiB;
 * figures in benchmarks/NOTES.md. Read when a process starts: compose and the chart set it for one
 * process.
 */
export const semiSpaceMib = 32
/** The young generation is three such spaces: what it has above Node's own 16 MiB each. */
const youngMibAdded = 3 * (semiSpaceMib - 16)

/**
 * What limits the heap of a worker: its share of what Node derives from the memory of the
 * container. Each would take all of that for its own, and the system would end it before it
 * collects. What its young generation has more, its old one has less.
 *
 * @param given arguments of Node: a limit among them is the one of each process
 */
export function heapArguments(of: {
  readonly count: number
  readonly heapBytes: number
  readonly given: string
}): string[] {
  const isGiven = (name: string) => new RegExp(`--${name.replaceAll('-', '[-_]')}`).test(of.given)
  const mib = Math.max(heapMibMin, Math.floor(of.heapBytes / of.count / 2 ** 20)) - youngMibAdded
  return [
    ...(isGiven('max-old-space-size') ? [] : [`--max-old-space-size=${mib}`]),
    ...(isGiven('max-semi-space-size') ? [] : [`--max-semi-space-size=${semiSpaceMib}`]),
  ]
}

interface Waiting {
  readonly resolve: (answer: AnswerOfWorker) => void
  readonly reject: (error: Error) => void
}

function workerOf(child: ChildProcess): WorkerProcess {
  const waiting = new Map<number, Waiting>()
  let questions = 0
  child.on('message', (message) => {
    const answer = answerOfWorker.parse(message)
    waiting.get(answer.id)?.resolve(answer)
  })
  const ended = new Promise<string>((resolve) => {
    const end = (how: string) => {
      resolve(how)
      for (const { reject } of waiting.values()) reject(new Error(`the worker ended: ${how}`))
    }
    child.once('exit', (code, signal) => end(signal ? `signal ${signal}` : `exit code ${code}`))
    // It could not be started, or takes no signal.
    child.on('error', (error) => end(error.message))
  })
  const ask = (question: AskedOfWorker['ask'], timeoutMs: number) => {
    const id = questions++
    const answered = new Promise<AnswerOfWorker>((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      // Of a closed channel nothing else is reported here: `exit` follows.
      if (child.connected) child.send({ id, ask: question } satisfies AskedOfWorker, () => {})
    })
    return answerWithin(answered, timeoutMs).finally(() => waiting.delete(id))
  }
  return {
    pid: child.pid ?? 0,
    ended,
    async readiness(timeoutMs) {
      const answer = await ask('readiness', timeoutMs)
      return 'reasons' in answer ? answer.reasons : []
    },
    async metrics(timeoutMs) {
      const answer = await ask('metrics', timeoutMs)
      return 'metrics' in answer ? answer.metrics : ''
    },
    kill: (signal) => void child.kill(signal),
  }
}

/** Of a time limit; one that a paused process missed counts once. */
const ticks = 10

/**
 * The answer, if it comes in time. Time is counted in ticks: after a pause of this process itself
 * (a suspended machine, no processor time) all timers are due before the answers that have arrived
 * meanwhile are read, and healthy workers would be killed.
 */
export function answerWithin<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let passed = 0
    const timer = setInterval(() => {
      passed += 1
      if (passed < ticks) return
      clearInterval(timer)
      reject(new Error(`no answer within ${timeoutMs} ms`))
    }, timeoutMs / ticks)
    answer.then(resolve, reject).finally(() => clearInterval(timer))
  })
}
