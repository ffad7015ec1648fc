import { LogUnavailable } from '../../ports/event-log.ts'

/** @throws LogUnavailable if the answer is not there in time; it may yet come, unheard */
export async function withCallTimeout<T>(
  timeoutMs: number,
  what: string,
  answer: Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const tooLate = () => reject(new LogUnavailable(`${what} took more than ${timeoutMs} ms`))
    timer = setTimeout(tooLate, timeoutMs)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
