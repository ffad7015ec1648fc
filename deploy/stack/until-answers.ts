import { StackFailure } from './stack-failure.ts'

export interface Awaited {
  /** For people: 'Kafka'. */
  readonly name: string
  /** Throws as long as it does not answer. */
  readonly ask: () => Promise<unknown>
  readonly startTimeoutMs: number
  /** Resolves with its last words if it ends. */
  readonly gone: Promise<string>
}

const pollIntervalMs = 50

/** @throws StackFailure: it ended, or did not answer in time */
export async function untilAnswers({ name, ask, startTimeoutMs, gone }: Awaited): Promise<void> {
  const deadline = Date.now() + startTimeoutMs
  let words: string | null = null
  void gone.then((said) => {
    words = said
  })
  for (;;) {
    const refused = await ask().then(
      () => null,
      (error: unknown) => String(error),
    )
    if (words !== null) throw new StackFailure(`${name} ended: ${words}`)
    if (refused === null) return
    if (Date.now() > deadline) {
      throw new StackFailure(`${name} did not answer within ${startTimeoutMs} ms: ${refused}`)
    }
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs))
  }
}
