import { Agent, type ClientRequestArgs, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { until } from '../support/until.ts'
import type { Received } from './judged-answers.ts'

/** Clients of a Service, all the time. */
export interface Readers {
  readonly received: readonly Received[]
  /** Requests that got no answer, each in a sentence. */
  readonly failed: readonly string[]
  /** Connections that were refused, and not when they were tried once more. */
  readonly refused: () => number
  /** Resolves when each path was asked once more, about. */
  readonly lap: () => Promise<void>
  /** Asks no more. Resolves when the last answer is there. */
  readonly stop: () => Promise<void>
}

export interface ReadersOptions {
  readonly count: number
  readonly paths: readonly string[]
  /** Origins of the pods that get new connections, as the reader's node knows them. */
  readonly endpoints: () => readonly string[]
}

const answerMaxMs = 20_000

/**
 * Each reader keeps its connection for as long as the pod does, whatever becomes of the pod: so do
 * connections through a Service. A refused connection is tried once more.
 */
export function startReaders({ count, paths, endpoints }: ReadersOptions): Readers {
  const received: Received[] = []
  const failed: string[] = []
  let refused = 0
  let isEnding = false
  let turn = 0
  const readOn = async (first: number) => {
    const agent = new ServiceAgent(() => endpoints()[turn++ % endpoints().length])
    for (let at = first; !isEnding; at++) {
      const path = paths[at % paths.length] ?? '/'
      const one = await ask(agent, path).catch(async (error: unknown) => {
        if (!isRefusal(error)) return String(error)
        refused += 1
        return ask(agent, path).catch((again: unknown) => `once more: ${again}`)
      })
      if (typeof one === 'string') failed.push(`${path}: ${one}`)
      else received.push(one)
    }
    agent.destroy()
  }
  const each = Math.ceil(paths.length / count)
  const reading = Array.from({ length: count }, (_, at) => readOn(at * each))
  return {
    received,
    failed,
    refused: () => refused,
    lap() {
      const wanted = received.length + failed.length + paths.length
      return until('a lap of the readers', () => received.length + failed.length >= wanted)
    },
    async stop() {
      isEnding = true
      await Promise.all(reading)
    },
  }
}

/** Chooses a pod for each new connection, and keeps it open. */
class ServiceAgent extends Agent {
  private readonly choose: () => string | undefined

  constructor(choose: () => string | undefined) {
    super({ keepAlive: true, maxSockets: 1 })
    this.choose = choose
  }

  override createConnection(_options: ClientRequestArgs) {
    const { hostname, port } = new URL(this.choose() ?? 'http://127.0.0.1:9')
    return connect({ host: hostname, port: Number(port || 80), noDelay: true })
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'

async function ask(agent: Agent, path: string): Promise<Received> {
  const beganAt = performance.now()
  const signal = AbortSignal.timeout(answerMaxMs)
  const sent = request({ host: 'api', path, agent, signal }).end()
  return await new Promise((resolve, reject) => {
    sent.once('error', reject)
    sent.once('response', (response) => {
      const block = response.headers['x-indexed-block']
      text(response).then(
        (body) =>
          resolve({
            path,
            text: `${response.statusCode} ${body}`,
            block: block === undefined ? null : Number(block),
            beganAt,
            endedAt: performance.now(),
          }),
        reject,
      )
    })
  })
}
