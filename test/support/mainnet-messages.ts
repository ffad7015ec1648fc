import { folderSource } from '../../libs/adapters/folder/folder-source.ts'
import type { Block } from '../../libs/chain/block.ts'
import { zeroAddress } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import { type BlocksMessage, blocksVersion } from '../../libs/topics/blocks.ts'
import { mainnetFolder, truthBalances } from './mainnet-truth.ts'

export const mainnetId = 1

const envelope = (sequence: number) => ({
  version: blocksVersion,
  sequence: position(sequence),
  chainId: mainnetId,
})

/** The blocks, after the balances that a node would have reported before the first of them. */
export async function mainnetMessages(
  numbers: readonly number[],
  folder = mainnetFolder,
): Promise<BlocksMessage[]> {
  const source = await folderSource({ folder })
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
    { ...envelope(1), kind: 'state.observed', ...seen },
    ...blocks.map(
      (block, at): BlocksMessage => ({
        ...envelope(at + 2),
        kind: 'block.applied',
        block,
        tokens: [],
        contracts: [],
      }),
    ),
  ]
}
