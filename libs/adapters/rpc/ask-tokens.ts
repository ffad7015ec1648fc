import type { Address } from '../../chain/hex.ts'
import type { TokenMetadata } from '../../chain/token.ts'
import type { TokensAnswer } from '../../ports/node.ts'
import type { BestEffortCalls } from './best-effort-calls.ts'
import type { OldState } from './old-state.ts'
import type { RpcLimits } from './rpc-limits.ts'
import { metadataOf, questionsTo } from './token-questions.ts'

export interface TokenAskingParts {
  readonly state: OldState
  readonly calls: BestEffortCalls
  readonly limits: RpcLimits
}

/** What contracts say of themselves, as of a block if it can be. @throws SourceTrouble */
export async function askTokens(
  { state, calls, limits }: TokenAskingParts,
  addresses: readonly Address[],
  block: number,
): Promise<TokensAnswer> {
  if (addresses.length === 0) return { said: [], failed: [], cutOff: [] }
  const { groups, place } = await calls.within(limits.callsTotalMs, (signal) => {
    const groupsAt = (tag: string) =>
      addresses.map((address) => questionsTo(address, { tag, gas: limits.callGas }))
    return state.askContracts({ groupsAt, signal }, block)
  })
  const said: TokenMetadata[] = []
  const failed: Address[] = []
  const cutOff: Address[] = []
  for (const [at, address] of addresses.entries()) {
    const { answers, end } = groups[at] ?? { answers: [], end: 'cut-off' }
    if (end === 'failed') failed.push(address)
    if (end === 'cut-off') cutOff.push(address)
    const metadata = metadataOf(address, answers, place)
    if (metadata) said.push(metadata)
  }
  return { said, failed, cutOff }
}
