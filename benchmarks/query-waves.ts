import type { QueryParameters, Store } from '../libs/ports/store.ts'

interface Statement {
  readonly sql: string
  readonly parameters: QueryParameters
}

/** Queries of a page: those that run concurrently are one wave. */
export class QueryWaves {
  private waves: Statement[][] = []
  private inFlight = 0

  /** The same store; records its queries. */
  over(store: Store): Store {
    return {
      ...store,
      query: async (sql, parameters, options) => {
        const wave = this.inFlight === 0 ? [] : (this.waves.pop() ?? [])
        wave.push({ sql, parameters })
        this.waves.push(wave)
        this.inFlight++
        try {
          return await store.query(sql, parameters, options)
        } finally {
          this.inFlight--
        }
      },
    }
  }

  take(): readonly (readonly Statement[])[] {
    const { waves } = this
    this.waves = []
    return waves
  }
}

/** Sends the same again, and nothing else. @returns the bytes of the first wave. */
export async function queryAgain(
  store: Store,
  waves: readonly (readonly Statement[])[],
): Promise<number> {
  let first = 0
  for (const [at, wave] of waves.entries()) {
    const answers = await Promise.all(
      wave.map(({ sql, parameters }) => store.query(sql, parameters)),
    )
    if (at === 0) first = answers.reduce((sum, answer) => sum + answer.length, 0)
  }
  return first
}
