import type { Block, TransactionLog } from '../../../libs/chain/block.ts'
import { type Address, zeroAddress } from '../../../libs/chain/hex.ts'
import type { Pause } from '../../../libs/chain/pauses.ts'
import type { Transfer } from '../../../libs/chain/token.ts'
import type { StateRef } from '../../../libs/ports/chain-source.ts'
import { consecutiveTopic } from '../../../libs/projections/ledger/consecutive-transfers.ts'
import { type BlockTransfers, wrappingHolder } from '../../../libs/projections/ledger/transfers.ts'
import type { OwnerMove } from './last-owners.ts'
import { readTransfers } from './read-transfers.ts'

/** Of one log: a batch may have very many. */
const transfersPerLogMax = 1_000

type Movement = Pick<Transfer, 'token' | 'form' | 'from' | 'to'> & Partial<Transfer>

/** Of ids in a row only who counts them: their owners are known from the log. */
const movementsIn = (transfers: BlockTransfers, log: TransactionLog): Iterable<Movement | null> =>
  log.topics[0] === consecutiveTopic ? transfers.amountsOfLog(log) : transfers.pacedOfLog(log)

/** The id of an ERC-721, if the log names one. */
const ownedId = ({ form, tokenId = null }: Movement): bigint | null =>
  form === 'ERC-721' ? tokenId : null

function* pairsIn(movement: Movement): Generator<StateRef> {
  const { token, form, from, to, tokenId = null } = movement
  const isOfId = form === 'ERC-1155'
  if (ownedId(movement) !== null) yield { token, holder: null, tokenId }
  for (const holder of [from, to]) {
    if (holder !== zeroAddress) yield { token, holder, tokenId: isOfId ? tokenId : null }
  }
}

interface Noting {
  readonly pause: Pause
  /** @returns false to end */
  readonly note: (pair: StateRef) => boolean
  /** Receives each id of an ERC-721 before its pairs. */
  readonly onOwner?: (move: OwnerMove) => void
}

/**
 * Balances and owners that transfers, deposits and withdrawals of a block have changed.
 *
 * @returns the tokens whose logs have too many to look at all; null if `note` ended it
 */
export async function eachMovedPair(
  block: Block,
  { pause, note, onOwner }: Noting,
): Promise<ReadonlySet<Address> | null> {
  const transfers = await readTransfers(block, pause)
  const cut = new Set<Address>()
  for (const { logs } of block.transactions) {
    for (const log of logs) {
      const begun = pause()
      if (begun !== undefined) await begun
      const wrapping = wrappingHolder(log)
      const pair = { token: log.address, holder: wrapping, tokenId: null }
      if (wrapping !== null && !note(pair)) return null
      let left = transfersPerLogMax
      for (const movement of movementsIn(transfers, log)) {
        const paused = pause()
        if (paused !== undefined) await paused
        if (movement === null) continue
        if (left-- <= 0) {
          cut.add(movement.token)
          break
        }
        const tokenId = ownedId(movement)
        if (tokenId !== null) onOwner?.({ ...movement, tokenId })
        for (const pair of pairsIn(movement)) if (!note(pair)) return null
      }
    }
  }
  return cut
}
