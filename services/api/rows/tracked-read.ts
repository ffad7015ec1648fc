import type { Question } from '../../../libs/queries/reading/question.ts'
import type { Dependencies } from '../clock/dependencies.ts'
import { isImmutable } from './immutable.ts'
import type { ReadContext, RunQuestion } from './run-question.ts'

export type Read = <O, R>(question: Question<O, R>, options: NoInfer<O>) => Promise<R>

interface TrackedReadOptions {
  readonly on: Dependencies
  readonly headBlock: number
  readonly context: ReadContext
}

/** Runs the questions of one answer and records what it depends on, so that none can omit it. */
export const trackedRead =
  (run: RunQuestion, { on, headBlock, context }: TrackedReadOptions): Read =>
  async (question, options) => {
    const { table, subjects, blockPage } = question
    if (blockPage === undefined) {
      on.on(table.name, subjects(options))
      return run(question, options, context)
    }
    const result = await run(question, options, context)
    const page = blockPage(options, result)
    if (page === null || !isImmutable(page, page.rows, headBlock)) {
      on.on(table.name, subjects(options))
    }
    return result
  }
