import { z } from 'zod'
import { SourceTrouble } from '../../ports/node.ts'
import { BatchRefused, type RpcAnswer } from './rpc-transport.ts'

const errorForm = z.object({ code: z.number().default(0), message: z.string().default('') })
const answerForm = z.object({
  id: z.union([z.number(), z.string(), z.null()]).optional(),
  result: z.unknown().optional(),
  error: errorForm.nullish(),
})
type AnswerForm = z.output<typeof answerForm>

/** Codes and words with which nodes and providers say "too often". */
const rateLimitCodes: ReadonlySet<number> = new Set([-32005, -32029, 429])
const rateLimitWords = /rate.?limit|too many requests|compute units|capacity exceeded|throttl/i

/**
 * Answers by id, in the order of `ids`. Nodes may shuffle them, leave some out, or answer a batch
 * with a single error.
 *
 * @throws SourceTrouble if an answer is missing, foreign, or says "too often"
 * @throws BatchRefused if a batch met a single error
 */
export function pairAnswers(ids: readonly number[], body: unknown): readonly RpcAnswer[] {
  const answers = (Array.isArray(body) ? body : [body]).map(answerOf)
  for (const { error } of answers) {
    if (error && isRateLimit(error)) {
      throw new SourceTrouble('rate-limited', `the node says: ${error.message || error.code}`)
    }
  }
  if (!Array.isArray(body) && ids.length > 1) {
    throw new BatchRefused(answers[0]?.error?.message || 'a batch was answered with one answer')
  }
  const byId = new Map(answers.map((answer) => [answer.id, answer]))
  return ids.map((id) => {
    // A node that could not parse the request answers with id null; alone, it is still ours.
    const answer = byId.get(id) ?? (ids.length === 1 ? byId.get(null) : undefined)
    if (!answer) {
      const sentence = `the node answered ${answers.length} of ${ids.length} questions`
      throw new SourceTrouble('half-answer', `${sentence}: number ${id} is missing`)
    }
    if (answer.error) return { error: answer.error }
    if (answer.result !== undefined) return { result: answer.result }
    throw new SourceTrouble('half-answer', 'the node answered with neither result nor error')
  })
}

function answerOf(said: unknown): AnswerForm {
  const read = answerForm.safeParse(said)
  if (read.success) return read.data
  throw new SourceTrouble('wrong-answer', 'the node answered with something else than JSON-RPC')
}

const isRateLimit = (error: { code: number; message: string }): boolean =>
  rateLimitCodes.has(error.code) || rateLimitWords.test(error.message)
