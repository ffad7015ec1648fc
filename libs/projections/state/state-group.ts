import type { Address } from '../../chain/hex.ts'
import type { Position } from '../../chain/position.ts'
import type { TableRow } from '../../tables/declare/table.ts'
import type { BlocksMessage } from '../../topics/blocks.ts'
import { accountEntity } from '../entities/account.ts'
import { balanceEntity, holdingEntity, parseBalanceId } from '../entities/balance.ts'
import { chainEntity, chainEntityId } from '../entities/chain.ts'
import { earlyTransferEntity } from '../entities/early-transfer.ts'
import { instanceEntity, parseInstanceId } from '../entities/instance.ts'
import { type Token, tokenEntity } from '../entities/token.ts'
import { listingEntity, listingId, unlistedEntity, unlistedId } from '../entities/unlisted.ts'
import type { BlocksGroup, Entity, EntityChange } from '../group.ts'
import { addressRows } from './accounts.ts'
import { balanceRows, holderRows } from './balances.ts'
import { declareGap } from './continuity.ts'
import { judgeTokens } from './doubt.ts'
import { repeatedCount } from './early-transfers.ts'
import { countHolders } from './holder-count.ts'
import { instanceRows, nftBalanceRows, nftOwnerRows } from './instances.ts'
import { editBalance, editNft } from './ownership.ts'
import { StateDraft } from './state-draft.ts'
import { foldBlock, foldObserved } from './state-fold.ts'
import { editToken, tokenRows } from './tokens.ts'

type Folded = Exclude<BlocksMessage, { kind: 'block.reverted' }>

function* fold(draft: StateDraft, message: Folded): Generator<StateDraft> {
  switch (message.kind) {
    case 'block.applied':
      yield* foldBlock(draft, message)
      break
    case 'state.observed':
      yield* foldObserved(draft, message)
      break
    case 'gap.declared':
      declareGap(draft, message.to)
      break
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
    earlyTransferEntity,
  ],
  knownFrom: (state) => state.get(chainEntity, chainEntityId)?.knownFrom ?? 0,
  repeatedCount: (state, message) =>
    message.kind === 'block.applied' || message.kind === 'state.observed'
      ? repeatedCount(state, message.tokens)
      : 0,
  *change(state, message) {
    const draft = new StateDraft(state, message.sequence)
    yield* fold(draft, message)
    listMore(draft)
    const block = blockOf(message)
    yield* countHolders(draft, block)
    judgeTokens(draft, block)
    return draft.changes()
  },
  *rows(_message, changes, position) {
    for (const change of changes) yield rowsOf(change, position)
  },
}

/**
 * Unlisted ones that a message lists at most, besides those that it moves itself. A contract can
 * have gathered any number of them before its first transfer: the rest follow message by message.
 */
export const listedPerMessageMax = 1_000

/** Writes rows of unlisted entries of tokens whose standard is known now, the oldest first. */
function listMore(draft: StateDraft): void {
  const { chain } = draft
  let left = listedPerMessageMax
  while (chain.listingsFrom < chain.listingsTo) {
    const id = listingId(chain.listingsFrom)
    const address = draft.listings.read(id)?.token
    if (address === undefined) throw new Error(`listing ${chain.listingsFrom} is missing`)
    const token = editToken(draft, address, null)
    while (token.unlistedFrom < token.unlistedTo) {
      if (left === 0) return
      list(draft, { address, token })
      left -= 1
    }
    draft.listings.remove(id)
    chain.listingsFrom += 1
  }
}

/** Editing the entry takes over the standard of its token, and so produces its rows. */
function list(draft: StateDraft, { address, token }: { address: Address; token: Token }): void {
  const id = unlistedId(address, token.unlistedFrom)
  const entry = draft.unlisted.read(id)
  if (entry === undefined)
    throw new Error(`unlisted ${token.unlistedFrom} of ${address} is missing`)
  if (entry.kind === 'instance') {
    editNft(draft, { address, token }, parseInstanceId(entry.id).tokenId)
  } else {
    const pair = draft.balances.read(entry.id)
    if (pair?.isKnown) editBalance(draft, entry.id, { token, ordinal: pair.ordinal })
  }
  draft.unlisted.remove(id)
  token.unlistedFrom += 1
}
