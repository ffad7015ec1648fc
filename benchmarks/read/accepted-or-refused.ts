import type { Got } from './closed-loop.ts'

/**
 * @returns whether the request was accepted
 * @throws if it was neither accepted nor refused as the API refuses what it cannot answer in time
 */
export function isAcceptedOrRefused({ status, headers }: Got): boolean {
  if (status === 200) return true
  if (status !== 429 && status !== 503) throw new Error(`status ${status}`)
  if (headers['retry-after'] === undefined) throw new Error(`${status} without Retry-After`)
  return false
}
