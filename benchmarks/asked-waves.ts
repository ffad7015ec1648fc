import type { QueryParameters, Store } from '../libs/ports/store.ts'

interface Statement {
  readonly sql: string
  readonly parameters: QueryParameters
}

/** What a page asked of the store: statements that run side by side are one wave. */
export class AskedWaves {
  private waves: Statement[][] = []
  private inFlight = 0

  /** The same store, overheard. */
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

/** Asks the same again, and nothing else. @returns the bytes of the first wave. */
export async function askAgain(
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
