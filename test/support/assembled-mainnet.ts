import { assembleBlock } from '../../libs/adapters/rpc/blocks/assemble-block.ts'
import type { SourceBlock } from '../../libs/ports/chain-source.ts'
import { mainnetBlock } from './mainnet-block.ts'

const made = new Map<number, Promise<SourceBlock>>()

/** A real block, made once for all who only read it: to prove one costs thousands of hashes. */
export function assembledMainnet(number: number): Promise<SourceBlock> {
  const known = made.get(number) ?? assembled(number)
  made.set(number, known)
  return known
}

async function assembled(number: number): Promise<SourceBlock> {
  const { block, receipts } = mainnetBlock(number)
  return assembleBlock(block, receipts)
}
