import { z } from 'zod'

/** One call of a batch. */
export interface BatchedCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export interface JsonRpc {
  /** Answers in the order of the calls. @throws naming the first method that failed. */
  batch(calls: readonly BatchedCall[]): Promise<unknown[]>
}

/** A demo chain works on this machine: an answer that takes longer will not come. */
const answerTimeoutMs = 30_000

const answers = z.array(
  z.object({
    id: z.int(),
    result: z.unknown().optional(),
    error: z.object({ message: z.string() }).optional(),
  }),
)

export function jsonRpc(url: string): JsonRpc {
  return {
    async batch(calls) {
      if (calls.length === 0) return []
      const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(answerTimeoutMs),
      })
      const results = new Map(answers.parse(await response.json()).map((one) => [one.id, one]))
      return calls.map(({ method }, id) => {
        const answer = results.get(id)
        if (!answer) throw new Error(`the demo chain did not answer ${method}`)
        if (answer.error)
          throw new Error(`the demo chain refused ${method}: ${answer.error.message}`)
        return answer.result
      })
    },
  }
}
