import type { NodeBlock } from '../../../../libs/adapters/rpc/node-reader.ts'
import { type Address, zeroAddress } from '../../../../libs/chain/hex.ts'
import { isIndexed } from './check-transaction.ts'
import { type NodeTransfer, transfersIn } from './check-transfers.ts'
import { logsOf, type NodeTransaction, transactionsIn } from './node-transaction.ts'
import type { Witnesses } from './witnesses.ts'

/** A transaction to compare, with what else its block has. */
export interface DrawnTransaction {
  readonly whole: NodeBlock
  readonly told: NodeTransaction
  /** Of the whole block; null where it depends on too many of its logs. */
  readonly transfers: readonly NodeTransfer[] | null
  /** False if Foldscan knows none of the transactions of the block that were asked for. */
  readonly isIndexed: boolean
}

/** Every second block is one of the newest: their state is what a node has for sure. */
const newestBlocks = 128

/** @param nth of the draws @param indexed the newest block that is indexed */
export function drawnBlock({ random }: Witnesses, nth: number, indexed: number): number {
  const last = Math.max(1, indexed)
  const first = nth % 2 === 0 ? Math.max(1, last - newestBlocks + 1) : 1
  return first + random.below(last - first + 1)
}

/** Other transactions of a block that are asked for when one is missing. */
const othersMax = 3

/**
 * A transaction of a block; null if the block has none that was not drawn before.
 * @param drawn hashes of those before; the new one is added
 * @throws ExplorerError, SourceError
 */
export async function drawnTransaction(
  witnesses: Witnesses,
  number: number,
  drawn: Set<string>,
): Promise<DrawnTransaction | null> {
  const whole = await witnesses.node.block(number)
  const all = whole === null ? [] : transactionsIn(whole)
  const left = all.filter(({ transaction }) => !drawn.has(transaction.hash))
  if (whole === null || left.length === 0) return null
  const told = witnesses.random.pick(left)
  drawn.add(told.transaction.hash)
  const others = all.filter((one) => one !== told).slice(0, othersMax)
  const drawing = { whole, told, transfers: transfersIn(all.flatMap(logsOf), witnesses) }
  for (const one of [told, ...others]) {
    if (await isIndexed(witnesses, one)) return { ...drawing, isIndexed: true }
  }
  return { ...drawing, isIndexed: false }
}

/** Tokens and addresses that are kept of all blocks. */
const keptMax = 10_000

/** What the transfers of the drawn blocks name. */
export class NamedSubjects {
  readonly tokens = new Set<Address>()
  readonly movings = new Map<Address, NodeTransfer[]>()

  add(transfers: readonly NodeTransfer[]): void {
    for (const transfer of transfers) {
      if (this.tokens.size < keptMax) this.tokens.add(transfer.token)
      for (const holder of [transfer.from, transfer.to]) this.#addMoving(holder, transfer)
    }
  }

  #addMoving(holder: Address, transfer: NodeTransfer): void {
    if (holder === zeroAddress) return
    const movings = this.movings.get(holder)
    if (movings === undefined && this.movings.size >= keptMax) return
    if (movings === undefined) this.movings.set(holder, [transfer])
    else if (movings.length < movingsMax) movings.push(transfer)
  }
}

/** Transfers of one address that are kept. */
const movingsMax = 100
