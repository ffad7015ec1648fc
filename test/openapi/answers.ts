import { routes } from '../../services/api/endpoints/routes.ts'
import { consecutiveBlocks } from '../support/mainnet-block.ts'
import { truthTransfers } from '../support/mainnet-truth.ts'
import type { MainnetServer } from './mainnet-server.ts'

/** A real answer of status 200. */
export interface Answer {
  readonly operationId: string
  readonly request: string
  readonly body: unknown
}

const answersOfEach = 50
/** Long pages repeat what short ones have. */
const itemsOfPage = 3

/** So many of each operation: of the subjects that moved most tokens, those that show something. */
export async function realAnswers({ get }: MainnetServer): Promise<readonly Answer[]> {
  const subjects = subjectsOfBlocks()
  const found = await Promise.all(
    routes.map(async ({ path, operationId, parameters }) => {
      const query = 'items_count' in parameters.shape ? `?items_count=${itemsOfPage}` : ''
      const telling: Answer[] = []
      const empty: Answer[] = []
      for (const subject of subjects(path)) {
        const isRequestOnly = 'just_request_body' in parameters.shape && telling.length % 5 === 0
        const request = path.replace(/\{\w+\}/, subject) + (isRequestOnly ? onlyRequest : query)
        const { status, body } = await get(request)
        if (status !== 200) continue
        const list = isEmpty(body) ? empty : telling
        list.push({ operationId, request, body })
        if (telling.length === answersOfEach) break
      }
      return [...telling, ...empty].slice(0, answersOfEach)
    }),
  )
  return found.flat()
}

const onlyRequest = '?just_request_body=true'

const isEmpty = (body: unknown): boolean =>
  body === null || /^(?:\[\]|\{"items":\[\])/.test(JSON.stringify(body))

/** Tokens, addresses and transactions of the blocks, the busiest first. */
export function subjectsOfBlocks() {
  const transfers = truthTransfers().filter((one) => consecutiveBlocks.includes(one.blockNumber))
  const tokens = byCount(transfers.map(({ token }) => token))
  const addresses = byCount(transfers.flatMap(({ from, to }) => [from, to]))
  const transactions = byCount(transfers.map(({ transactionHash }) => transactionHash))
  return (path: string): readonly string[] => {
    if (path.includes('/transactions/{')) return transactions
    return path.includes('/tokens/{') || path.endsWith('/logs') ? tokens : addresses
  }
}

function byCount(all: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one).map(([one]) => one)
}
