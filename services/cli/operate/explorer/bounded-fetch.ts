import pLimit from 'p-limit'
import { ExplorerError, type FetchPage } from './explorer.ts'

/** Requests to an explorer at a time. */
const requestsMax = 4
/** Failed requests in a row after which an explorer gets no more: it is away, or refuses us. */
export const failuresInRowMax = 8

/** Requests to one explorer, few at a time, and none once it is away. */
export interface BoundedFetch {
  readonly fetchPage: FetchPage
  readonly isAway: () => boolean
}

/** Sends few requests at a time, and none to an explorer that is away. */
export function boundedFetch(fetchPage: FetchPage): BoundedFetch {
  const inTurn = pLimit(requestsMax)
  let failuresInRow = 0
  const isAway = () => failuresInRow >= failuresInRowMax
  const attempt: FetchPage = async (path, query) => {
    if (isAway()) {
      throw new ExplorerError(`was not asked: ${failuresInRowMax} requests in a row failed`)
    }
    try {
      const page = await fetchPage(path, query)
      failuresInRow = 0
      return page
    } catch (error) {
      failuresInRow += 1
      throw error
    }
  }
  return { isAway, fetchPage: (path, query) => inTurn(() => attempt(path, query)) }
}
