import { folderSource } from '../../libs/adapters/folder/folder-source.ts'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import type { Block } from '../../libs/chain/block.ts'
import { zeroAddress } from '../../libs/chain/hex.ts'
import { position } from '../../libs/chain/position.ts'
import { silentLog } from '../../libs/signals/log.ts'
import type { BlocksMessage } from '../../libs/topics/blocks.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { startEmbedded } from '../oracle/embedded-services.ts'
import { knowledgeOf } from '../oracle/knowledge.ts'
import { subjectsOf } from '../oracle/subjects.ts'
import { mainnetFolder, truthBalances } from '../support/mainnet-truth.ts'

const chainId = 1
/** Subjects of a kind: the busiest, whose lists go on for pages. */
const busiest = 12

/** The embedded services with these real blocks, served on a real socket. */
export async function embeddedOnSocket(numbers: readonly number[]) {
  const embedded = await startEmbedded(chainId)
  const published = await messagesOf(numbers)
  const stored = published.map((value) => ({ key: `${chainId}`, value: encodeMessage(value) }))
  await embedded.log.append('blocks', stored)
  await embedded.reached(published.length, numbers.at(-1) ?? 0)
  const server = await uwsServer({ port: 0, handler: embedded.handler, log: silentLog })
  const { addresses, tokens, transactions } = subjectsOf(knowledgeOf(published))
  return {
    origin: `http://127.0.0.1:${server.port}`,
    subjects: {
      addresses: addresses.slice(0, busiest),
      tokens: tokens.slice(0, busiest),
      transactions: transactions.slice(0, busiest),
    },
    async stop() {
      await server.close()
      await embedded.stop()
    },
  }
}

/** The blocks, after the balances that a node would have reported before the first of them. */
async function messagesOf(numbers: readonly number[]): Promise<BlocksMessage[]> {
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
    { kind: 'state.observed', sequence: position(1), chainId, ...seen },
    ...blocks.map(
      (block, at): BlocksMessage => ({
        kind: 'block.applied',
        sequence: position(at + 2),
        chainId,
        block,
        tokens: [],
        contracts: [],
      }),
    ),
  ]
}
