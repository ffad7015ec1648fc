import type { Position } from '../chain/position.ts'
import type { TableRow } from '../tables/table.ts'
import type { BlocksMessage } from '../topics/blocks.ts'
import { addressRows } from './accounts.ts'
import { balanceRows, holderRows } from './balances.ts'
import { declareGap } from './continuity.ts'
import { accountEntity } from './entities/account.ts'
import { balanceEntity, holdingEntity, parseBalanceId } from './entities/balance.ts'
import { chainEntity, chainEntityId } from './entities/chain.ts'
import { instanceEntity, parseInstanceId } from './entities/instance.ts'
import { tokenEntity } from './entities/token.ts'
import { listingEntity, unlistedEntity } from './entities/unlisted.ts'
import type { BlocksGroup } from './group.ts'
import { countHolders } from './holder-count.ts'
import { instanceRows, nftBalanceRows, nftOwnerRows } from './instances.ts'
import { listMore } from './listing.ts'
import type { Entity, EntityChange } from './state.ts'
import { StateDraft } from './state-draft.ts'
import { foldBlock, foldObserved } from './state-fold.ts'
import { doubtSupplies, tokenRows } from './tokens.ts'

type Folded = Exclude<BlocksMessage, { kind: 'block.reverted' }>

function fold(draft: StateDraft, message: Folded): StateDraft {
  switch (message.kind) {
    case 'block.applied':
      foldBlock(draft, message)
      return draft
    case 'state.observed':
      foldObserved(draft, message)
      return draft
    case 'gap.declared':
      declareGap(draft, message.to)
      return draft
  }
}

/** The block at whose end the message is valid. */
function blockOf(message: Folded): number {
  switch (message.kind) {
    case 'block.applied':
      return message.block.number
    case 'state.observed':
      return message.block
    case 'gap.declared':
      return message.to
  }
}

/**
 * Identifies the changes of one entity by its tag: what was read back need not be the same object.
 */
const isOf = <V>(change: EntityChange, entity: Entity<V>): change is EntityChange<V> =>
  change.entity.tag === entity.tag

function rowsOf(change: EntityChange, position: Position): TableRow[] {
  if (isOf(change, balanceEntity)) {
    const { before, after } = change
    const pair = { key: parseBalanceId(change.id), before, after, position }
    return [...balanceRows(pair), ...holderRows(pair), ...nftBalanceRows(pair)]
  }
  if (isOf(change, instanceEntity)) {
    const { before, after } = change
    const instance = { key: parseInstanceId(change.id), before, after, position }
    return [...instanceRows(instance), ...nftOwnerRows(instance)]
  }
  if (isOf(change, tokenEntity)) return tokenRows(change, position)
  if (isOf(change, accountEntity)) return addressRows(change, position)
  return []
}

/**
 * What is: balances, holders, owners, supplies, contracts. Rows follow from changes alone, so an
 * orphaned block is taken back by the code that put it there.
 */
export const stateGroup: BlocksGroup = {
  name: 'state',
  entities: [
    chainEntity,
    tokenEntity,
    balanceEntity,
    instanceEntity,
    holdingEntity,
    accountEntity,
    unlistedEntity,
    listingEntity,
  ],
  knownFrom: (state) => state.get(chainEntity, chainEntityId)?.knownFrom ?? 0,
  change(state, message) {
    const draft = fold(new StateDraft(state, message.sequence), message)
    listMore(draft)
    countHolders(draft)
    doubtSupplies(draft, blockOf(message))
    return draft.changes()
  },
  *rows(_message, changes, position) {
    for (const change of changes) yield rowsOf(change, position)
  },
}
