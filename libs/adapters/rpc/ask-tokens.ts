import type { Address } from '../../chain/hex.ts'
import type { TokenMetadata } from '../../chain/token.ts'
import type { OldState } from './old-state.ts'
import { metadataOf, questionsCount, questionsTo } from './token-questions.ts'

/** What contracts say of themselves, as of a block if it can be. @throws SourceTrouble */
export async function askTokens(
  state: OldState,
  addresses: readonly Address[],
  block: number,
): Promise<readonly TokenMetadata[]> {
  if (addresses.length === 0) return []
  const said = await state.ask(
    (tag) => addresses.flatMap((address) => questionsTo(address, tag)),
    block,
  )
  return addresses.flatMap((address, at) => {
    const own = said.answers.slice(at * questionsCount, (at + 1) * questionsCount)
    return metadataOf(address, own, said.block) ?? []
  })
}
