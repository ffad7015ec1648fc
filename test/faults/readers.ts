import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { Random } from '../queries/random.ts'
import type { KeptService } from './kept-service.ts'
import { coin } from './planned-traffic.ts'
import type { ReportedHead, SeenResponse } from './response-order.ts'

/** Clients that read pages all the time. */
export interface Readers {
  readonly responses: readonly SeenResponse[]
  /** Answers by status; 0 for none at all. */
  readonly counts: ReadonlyMap<number, number>
  stop(): Promise<void>
}

const readersOfApi = 2
/** Between two questions of a reader: others want the processor too. */
const paceMs = 30
const answerMaxMs = 20_000
/** Requested more often than others: its newest item shows how new it is. */
const freshest = `/api/v2/tokens/${coin}/transfers`

export function startReaders(
  apis: readonly KeptService[],
  paths: readonly string[],
  random: Random,
): Readers {
  const ending = new AbortController()
  const responses: SeenResponse[] = []
  const counts = new Map<number, number>()
  const readOn = async (api: KeptService) => {
    while (!ending.signal.aborted) {
      const path = random.below(3) === 0 ? freshest : random.oneOf(paths)
      const one = await asked(api, path)
      counts.set(one?.status ?? 0, (counts.get(one?.status ?? 0) ?? 0) + 1)
      if (one !== null) responses.push(one)
      await pause(paceMs)
    }
  }
  const reading = apis.flatMap((api) => Array.from({ length: readersOfApi }, () => readOn(api)))
  return {
    responses,
    counts,
    async stop() {
      ending.abort()
      await Promise.all(reading)
    },
  }
}

/** Null where it did not answer: it was killed, or is stopped. */
async function asked({ running }: KeptService, path: string): Promise<SeenResponse | null> {
  const gone = running.exited.then(() => {
    throw new Error('it is gone')
  })
  gone.catch(() => {})
  try {
    const origin = await Promise.race([running.origin(), gone])
    const beganAt = performance.now()
    const response = await fetch(origin + path, { signal: AbortSignal.timeout(answerMaxMs) })
    const body: unknown = await response.json()
    const { status, headers } = response
    const newest = path === freshest && status === 200 ? newestIn(body) : null
    const times = { beganAt, endedAt: performance.now() }
    return { pid: running.pid, path, ...times, status, head: headIn(headers), newest }
  } catch {
    return null
  }
}

function headIn(headers: Headers): ReportedHead | null {
  const [block, at] = [headers.get('x-indexed-block'), headers.get('x-indexed-at')]
  return block === null || at === null ? null : { block: Number(block), time: secondsOf(at) }
}

const secondsOf = (iso: string) => Date.parse(iso) / 1_000

const list = z.object({
  items: z.array(z.looseObject({ block_number: z.int(), timestamp: z.string() })),
})

function newestIn(body: unknown): ReportedHead | null {
  const [first] = list.parse(body).items
  return first === undefined
    ? null
    : { block: first.block_number, time: secondsOf(first.timestamp) }
}
