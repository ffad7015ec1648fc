import type { Address } from '../../chain/hex.ts'
import type { TokenMetadata } from '../../chain/token.ts'
import type { TokensResult } from '../../ports/node.ts'
import type { BestEffortCalls } from './best-effort-calls.ts'
import type { HistoricalState } from './old-state.ts'
import type { RpcLimits } from './rpc-limits.ts'
import { metadataCalls, metadataOf } from './token-questions.ts'

export interface FetchTokensOptions {
  readonly state: HistoricalState
  readonly calls: BestEffortCalls
  readonly limits: RpcLimits
}

/** What contracts say of themselves, as of a block if it can be. @throws SourceError */
export async function fetchTokens(
  { state, calls, limits }: FetchTokensOptions,
  addresses: readonly Address[],
  block: number,
): Promise<TokensResult> {
  if (addresses.length === 0) return { metadata: [], failed: [], cutOff: [] }
  const { groups, place } = await calls.withDeadline(limits.callsTotalMs, (signal) => {
    const groupsAt = (tag: string) =>
      addresses.map((address) => metadataCalls(address, { tag, gas: limits.callGas }))
    return state.askContracts({ groupsAt, signal }, block)
  })
  const found: TokenMetadata[] = []
  const failed: Address[] = []
  const cutOff: Address[] = []
  for (const [at, address] of addresses.entries()) {
    const { answers, end } = groups[at] ?? { answers: [], end: 'cut-off' }
    if (end === 'failed') failed.push(address)
    if (end === 'cut-off') cutOff.push(address)
    const metadata = metadataOf(address, answers, place)
    if (metadata) found.push(metadata)
  }
  return { metadata: found, failed, cutOff }
}
