import { folderSource } from '../../libs/adapters/folder/folder-source.ts'
import type { Block } from '../../libs/chain/block.ts'
import { zeroAddress } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { mainnetFolder, truthBalances } from './mainnet-truth.ts'

export const mainnetId = 1

/** The blocks, after the balances that a node would have reported before the first of them. */
export async function mainnetMessages(numbers: readonly number[]): Promise<BlocksMessage[]> {
  const source = await folderSource({ folder: mainnetFolder })
  const found = await Promise.all(numbers.map((number) => source.block(number)))
  await source.close()
  const blocks = found.flatMap((block): Block[] => (block ? [block] : []))
  const [first] = blocks
  if (first === undefined) throw new Error('no blocks')
  const before = truthBalances()
    .filter(({ blockNumber, holder }) => blockNumber === first.number && holder !== zeroAddress)
    .map(({ token, holder, before: value }) => ({ token, holder, tokenId: null, value }))
  const none = { supplies: [], owners: [], tokens: [] }
  const seen = { block: first.number - 1, hash: first.parentHash, balances: before, ...none }
  return [
    { kind: 'state.observed', sequence: position(1), chainId: mainnetId, ...seen },
    ...blocks.map(
      (block, at): BlocksMessage => ({
        kind: 'block.applied',
        sequence: position(at + 2),
        chainId: mainnetId,
        block,
        tokens: [],
        contracts: [],
      }),
    ),
  ]
}
