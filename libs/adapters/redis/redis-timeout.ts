/** No answer within the given time. */
export class RedisTimeout extends Error {
  override readonly name = 'RedisTimeout'
}

/**
 * The answer, or RedisTimeout. At the deadline the sockets are read once more before it rejects: a
 * process whose event loop was blocked must not report its own pause as the server's.
 */
export async function withTimeout<T>(timeMsMax: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const declare = () => reject(new RedisTimeout(`no answer within ${timeMsMax} ms`))
    timer = setTimeout(() => setImmediate(declare), timeMsMax)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
    // Avoids an unhandledRejection of the promise that lost the race.
    answer.catch(() => {})
    late.catch(() => {})
  }
}
