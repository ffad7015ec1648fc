import type { Transaction, TransactionLog } from '../../libs/chain/block.ts'
import { zeroAddress } from '../../libs/chain/hex.ts'
import type { Transfer } from '../../libs/chain/token.ts'
import { transfersOf } from '../../libs/projections/ledger/transfers.ts'
import type { BlockApplied } from '../../libs/topics/blocks.ts'
import { type ChainShape, generatedChain, transactionAt } from '../generated-chain.ts'

/** Tokens of the chain: as few as the generated chain has of ERC-20 before others come. */
export const peerTokens = 16

/** Blocks are 1 to this one, and as many further ones as are published later. */
export interface PeerShape {
  readonly blocks: number
  readonly transfersPerBlock: number
  readonly accounts: number
}

/** The shape of a chain of more blocks than are asked for. */
const shapeOf = ({ blocks, transfersPerBlock, accounts }: PeerShape): ChainShape => ({
  ...{ seed: 1, tokens: peerTokens, transfersPerBlock, accounts },
  transfers: (blocks + 1) * (transfersPerBlock + 3),
})

/**
 * A generated chain of ERC-20 tokens, each transfer in a transaction of its own that its sender
 * has sent: then both indexers list the same transactions of an address.
 */
export function* peerChain(shape: PeerShape): Generator<BlockApplied> {
  for (const message of generatedChain(shapeOf(shape))) {
    if (message.block.number > shape.blocks) return
    yield { ...message, block: { ...message.block, transactions: transactionsOf(message) } }
  }
}

function transactionsOf({ block }: BlockApplied): BlockApplied['block']['transactions'] {
  const made = block.transactions.flatMap((transaction) =>
    isCreation(transaction)
      ? transaction
      : transaction.logs.map((log) => withOne(transaction, log)),
  )
  return made.map((one, index) => ({ ...one, hash: transactionAt(block.number, index), index }))
}

function withOne(transaction: Transaction, log: TransactionLog): Transaction {
  const made = { ...transaction, logs: [log] }
  const { from, to } = transferOf(made)
  return { ...made, from: from === zeroAddress ? to : from }
}

/** Of a token: the only transactions without a transfer. */
export const isCreation = ({ createdContract }: Transaction): boolean => createdContract !== null

/** The only one of a transaction. */
export function transferOf(transaction: Parameters<typeof transfersOf>[0]): Transfer {
  const [transfer] = transfersOf(transaction)
  if (transfer === undefined) throw new Error(`no transfer in ${transaction.hash}`)
  return transfer
}
