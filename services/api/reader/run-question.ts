import type { Store } from '../../../libs/ports/store.ts'
import type { Question } from '../../../libs/queries/question.ts'
import { type ReadThroughOptions, readThrough } from '../row-cache/read-through.ts'
import { storeForAnswer } from './answer-store.ts'
import type { ReadContext } from './read-context.ts'
import type { ReplicaCheck } from './replica-check.ts'

/** Answers a question from the tables; specs answer questions themselves. */
export type RunQuestion = <O, R>(
  question: Question<O, R>,
  options: NoInfer<O>,
  context: ReadContext,
) => Promise<R>

export interface RunOnStoreOptions {
  /** The shared cache in front of some tables; none by default. */
  readonly cache?: ReadThroughOptions | null
  /** Checks that a replica is not behind; none by default. */
  readonly check?: ReplicaCheck | null
  /** Announced position of the log's last hole; 0 without one. */
  readonly knownFrom?: () => number
}

/** Runs questions on a store: of the rows that are cached, only the missing ones are read there. */
export function runOnStore(
  store: Store,
  { cache = null, check = null, knownFrom = () => 0 }: RunOnStoreOptions = {},
): RunQuestion {
  return (question, options, context) => {
    const answerStore = storeForAnswer(store, context, check)
    const shared = { knownFrom: knownFrom() }
    if (cache === null) return question(answerStore, options, shared)
    return question(answerStore, options, {
      ...shared,
      subjectRows: (rows, subjects) => {
        const read = (missing: typeof subjects) => rows.read(answerStore, missing)
        return readThrough({ ...rows, read }, subjects, { ...cache, context })
      },
    })
  }
}
