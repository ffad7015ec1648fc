import type { Store } from '../../../libs/ports/store.ts'
import type { Question } from '../../../libs/queries/reading/question.ts'
import { type RunQuestion, runOnStore } from '../rows/run-question.ts'
import { questions } from './questions.ts'

type Questions = typeof questions
type Answer<Q> = Q extends Question<infer O, infer R> ? (options: O) => Promise<R> : never

/** What a spec answers itself, by the names of the questions. */
export type Answers = { readonly [N in keyof Questions]?: Answer<Questions[N]> }

const emptyTables: Store = {
  query: async () => Buffer.alloc(0),
  insert: async () => {},
  execute: async () => {},
  ping: async () => {},
  close: async () => {},
}

/** A spec that answers the list by amount is about a holder with many balances. */
const tooMany: Answers = { allBalancesOfAddress: async () => null }

/** Questions without an answer here are run as `otherwise` does: on empty tables by default. */
export function runOnAnswers(
  answers: Answers,
  otherwise: RunQuestion = runOnStore(emptyTables),
): RunQuestion {
  const all = answers.balancesOfAddress === undefined ? answers : { ...tooMany, ...answers }
  const answersOf = new Map<unknown, () => unknown>(
    Object.entries(questions).flatMap(([name, question]) => {
      const answer = Reflect.get(all, name)
      return answer === undefined ? [] : [[question, answer] as const]
    }),
  )
  return (question, options, context) => {
    const answer = answersOf.get(question)
    if (answer === undefined) return otherwise(question, options, context)
    return Reflect.apply(answer, undefined, [options])
  }
}
