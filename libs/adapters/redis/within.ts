import { RedisTimedOut } from './redis-trouble.ts'

/**
 * The answer, or RedisTimedOut. When the time is over the sockets are read once more before it is
 * declared: a process that was busy must not take its own pause for the other side's.
 */
export async function within<T>(timeMsMax: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const declare = () => reject(new RedisTimedOut(`no answer within ${timeMsMax} ms`))
    timer = setTimeout(() => setImmediate(declare), timeMsMax)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
    // Whoever lost the race may still fail: it has been told, or no longer matters.
    answer.catch(() => {})
    late.catch(() => {})
  }
}
