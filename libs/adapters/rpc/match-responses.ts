import { z } from 'zod'
import { SourceError } from '../../ports/chain-source.ts'
import { isRateLimit } from './rpc-errors.ts'
import { BatchRefused, type RpcResponse } from './rpc-transport.ts'

/** What is not of the form is left empty: one odd error must not spoil the answers beside it. */
const errorForm = z.object({
  code: z.number().catch(0),
  message: z.string().catch(''),
  data: z.unknown().optional(),
})
const answerForm = z.object({
  id: z.union([z.number(), z.string(), z.null()]).optional(),
  result: z.unknown().optional(),
  error: errorForm.nullish(),
})
type AnswerForm = z.output<typeof answerForm>

/**
 * Answers by id, in the order of `ids`. Nodes may shuffle them, leave some out, or answer a batch
 * with a single error. What an error means depends on its call, so it is not judged here.
 *
 * @throws SourceError if an answer is missing, foreign, or there twice
 * @throws BatchRefused if a batch met a single error
 */
export function matchResponses(ids: readonly number[], body: unknown): readonly RpcResponse[] {
  const answers = (Array.isArray(body) ? body : [body]).map(answerOf)
  if (!Array.isArray(body) && ids.length > 1) throw wholeRefused(answers[0]?.error)
  const byId = new Map(answers.map((answer) => [answer.id, answer]))
  const paired = ids.map((id) => {
    // A node that could not parse the request answers with id null; alone, it is still ours.
    const answer = byId.get(id) ?? (ids.length === 1 ? byId.get(null) : undefined)
    if (!answer) {
      const sentence = `the node answered ${answers.length} of ${ids.length} questions`
      throw new SourceError('half-answer', `${sentence}: number ${id} is missing`)
    }
    return resultOf(answer)
  })
  if (byId.size < answers.length) {
    throw new SourceError('wrong-answer', 'the node answered one question twice')
  }
  return paired
}

/** The error is of the request, so no single call can have caused its words. */
function wholeRefused(error: AnswerForm['error']): Error {
  if (error && isRateLimit(error)) {
    const said = error.message || String(error.code)
    return new SourceError('rate-limited', `the node limits requests: ${said}`)
  }
  return new BatchRefused(error?.message || 'a batch was answered with one answer')
}

function resultOf({ result, error }: AnswerForm): RpcResponse {
  if (error) return { error }
  if (result !== undefined) return { result }
  throw new SourceError('half-answer', 'the node answered with neither result nor error')
}

function answerOf(said: unknown): AnswerForm {
  const read = answerForm.safeParse(said)
  if (read.success) return read.data
  throw new SourceError('wrong-answer', 'the node answered with something else than JSON-RPC')
}
