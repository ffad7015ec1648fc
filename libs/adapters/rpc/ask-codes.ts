import type { Address } from '../../chain/hex.ts'
import type { OldState } from './old-state.ts'
import { rpcBytes } from './rpc-forms.ts'

/** EIP-7702: what stands in the place of code where an account lets another's code run. */
const designator = '0xef0100'

/** Those that have code of their own. @throws SourceTrouble */
export async function askCodes(
  state: OldState,
  addresses: readonly Address[],
  block: number,
): Promise<readonly Address[]> {
  if (addresses.length === 0) return []
  const { answers } = await state.ask(
    (tag) => addresses.map((address) => ({ method: 'eth_getCode', params: [address, tag] })),
    block,
  )
  return addresses.filter((_, at) => {
    const answer = answers[at]
    const code = rpcBytes.safeParse(answer && 'result' in answer ? answer.result : null)
    return code.success && code.data !== '0x' && !code.data.startsWith(designator)
  })
}
