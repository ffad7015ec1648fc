import type { NodeReader } from '../../../../libs/adapters/rpc/node-reader.ts'
import { type Address, zeroAddress } from '../../../../libs/chain/hex.ts'
import { pause } from '../../../../libs/signals/pause.ts'
import { StartupError } from '../../../../libs/signals/startup-error.ts'
import { ExplorerError, type FetchPage } from '../explorer/explorer.ts'

interface Asked {
  readonly api: FetchPage
  readonly node: NodeReader
  readonly token: Address | null
  readonly signal: AbortSignal
}

/** A node behind a balancer may be a block behind for a moment. */
const behindLooksMax = 5
const behindPauseMs = 1_000

/**
 * The newest block that is indexed, and that the node has.
 * @throws StartupError, SourceError
 */
export async function indexedBlock({ api, node, token, signal }: Asked): Promise<number> {
  const path = token === null ? `/api/v2/addresses/${zeroAddress}/logs` : `/api/v2/tokens/${token}`
  const { head, status } = await api(path, {}).catch((error: unknown) => {
    if (error instanceof ExplorerError) throw new StartupError(`The API ${error.message}.`)
    throw error
  })
  if (head === null) {
    throw new StartupError('The API has no block yet, or does not say it: x-indexed-block.')
  }
  if (token !== null && status === 404) {
    throw new StartupError(`Foldscan has no token at ${token}.`)
  }
  let newest = await node.head()
  for (let looks = 1; newest < head && looks < behindLooksMax && !signal.aborted; looks++) {
    await pause(behindPauseMs, signal)
    newest = await node.head()
  }
  if (newest >= head) return head
  throw new StartupError(
    `The node is at block ${newest}, behind Foldscan's block ${head}: wait until it has caught up, ` +
      'or name the node that Foldscan indexes.',
  )
}
