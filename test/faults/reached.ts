import type { KeptService } from './kept-service.ts'
import type { PlannedBlock } from './planned-block.ts'
import { coin, otherCoin, people } from './planned-traffic.ts'

/** Whether an API reports this block as the newest. False where it does not respond. */
export async function isWithHead({ running }: KeptService, head: PlannedBlock): Promise<boolean> {
  const answer = await answerOf(running.origin(), `/api/v2/tokens/${coin}`)
  const time = Date.parse(answer?.headers.get('x-indexed-at') ?? '') / 1_000
  const block = Number(answer?.headers.get('x-indexed-block'))
  return answer?.status === 200 && block === head.number && time === head.timestamp
}

/** Whether the rows of a group rest up to this position; false where it does not answer. */
export async function isUpTo({ running }: KeptService, position: number): Promise<boolean> {
  const answer = await answerOf(running.health(), '/metrics')
  const [, found] = /^foldscan_indexed_position\{.*\} (\d+)$/m.exec(answer?.text ?? '') ?? []
  return Number(found) >= position
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const answerMaxMs = 10_000

async function answerOf(origin: Promise<string>, path: string): Promise<Answer | null> {
  try {
    const signal = AbortSignal.timeout(answerMaxMs)
    const response = await fetch((await origin) + path, { signal })
    const { status, headers } = response
    return { status, headers, text: await response.text() }
  } catch {
    // It is being started again.
    return null
  }
}

/** Whether an API shows the facts of that turn: of both topics and all published kinds. */
export async function isWithFacts({ running }: KeptService, turn: number): Promise<boolean> {
  const shown = [
    [`/api/v2/tokens/${coin}`, `"${turn}.5"`],
    [`/api/v2/tokens/${otherCoin}`, `Named ${turn}"`],
    [`/api/v2/addresses/${people[0]}/transactions`, `person-${turn}.eth`],
  ] as const
  for (const [path, words] of shown) {
    const answer = await answerOf(running.origin(), path)
    if (answer?.text.includes(words) !== true) return false
  }
  return true
}
