import type { Address, Hex } from '../../chain/hex.ts'
import type { Code } from '../../ports/node.ts'
import type { HistoricalState } from './old-state.ts'
import { bytesSchema } from './rpc-forms.ts'

/** EIP-7702: what stands in the place of code where an account lets another's code run. */
const designator = '0xef0100'

/** What stands at addresses; those without an answer are left out. @throws SourceError */
export async function fetchCodes(
  state: HistoricalState,
  addresses: readonly Address[],
  block: number,
): Promise<ReadonlyMap<Address, Code>> {
  if (addresses.length === 0) return new Map()
  const answers = await state.ask(
    (tag) => addresses.map((address) => ({ method: 'eth_getCode', params: [address, tag] })),
    block,
  )
  return new Map(
    addresses.flatMap((address, at) => {
      const answer = answers[at]
      const said = bytesSchema.safeParse(answer && 'result' in answer ? answer.result : null)
      return said.success ? [[address, codeOf(said.data)] as const] : []
    }),
  )
}

function codeOf(bytes: Hex): Code {
  if (bytes === '0x') return 'none'
  return bytes.startsWith(designator) ? 'delegated' : 'own'
}
