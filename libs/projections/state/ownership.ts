import { type Address, zeroAddress } from '../../chain/hex.ts'
import type { Standard } from '../../chain/token.ts'
import { type Balance, balanceEntityId, parseBalanceId } from '../entities/balance.ts'
import { type Instance, instanceId } from '../entities/instance.ts'
import type { Token } from '../entities/token.ts'
import type { StateDraft } from './state-draft.ts'
import { noteUnlisted } from './tokens.ts'

/** A token as a message edits it. */
interface Collection {
  readonly address: Address
  readonly token: Token
}

/** A token id with its token, as a message edits them. */
export interface Nft extends Collection {
  readonly tokenId: bigint
  readonly instance: Instance
}

const freshInstance = (ordinal: number, token: Token): Instance => ({
  ordinal,
  standard: null,
  owner: null,
  ownerAt: -1,
  held: 0n,
  holdersXor: 0n,
  unknowns: 0,
  isComplete: token.isComplete,
  observedAt: 0,
  knownFrom: token.knownFrom,
})

/**
 * A token id to edit. It keeps the standard by which it was moved first: that of its token, or, in
 * a contract that logs two forms, that of the other one.
 */
export function editNft(
  draft: StateDraft,
  { address, token, movedAs = token.standard }: Collection & { movedAs?: Standard | null },
  tokenId: bigint,
): Nft {
  const id = instanceId(address, tokenId)
  const instance = draft.instances.edit(id, () => {
    if (token.standard === null) noteUnlisted(draft, { address, token }, { kind: 'instance', id })
    return freshInstance(draft.nextOrdinal(), token)
  })
  const nft = { address, tokenId, token, instance }
  instance.isComplete = token.isComplete
  if (instance.standard === null && movedAs !== null) {
    instance.standard = movedAs
    const { owner, ownerAt: at, observedAt } = instance
    if (owner !== null) gain(draft, nft, { owner, at, observedAt })
  }
  return nft
}

/**
 * A balance to write to, of its token's present standard. Without a change in the log it is zero,
 * if the log contains the whole history.
 */
export function editBalance(
  draft: StateDraft,
  id: string,
  { token, ordinal }: BalanceOrigin,
): Balance {
  const pair = draft.balances.edit(id, () => newPair(token, ordinal))
  pair.standard = standardOfPair(draft, id, token)
  return pair
}

/** An id that logs of the form of ERC-1155 moved has balances of that standard in any token. */
function standardOfPair(draft: StateDraft, id: string, token: Token): Standard | null {
  const { token: address, tokenId } = parseBalanceId(id)
  if (tokenId === null || token.standard === null) return token.standard
  if (token.standard === 'ERC-1155' || token.standard === 'ERC-404') return token.standard
  const instance = draft.instances.read(instanceId(address, tokenId))
  return instance?.standard === 'ERC-1155' ? instance.standard : token.standard
}

/** A balance as before the first transfer, if there is one. */
export function resetPair(draft: StateDraft, id: string, token: Token): void {
  const pair = draft.balances.read(id)
  if (pair !== undefined)
    draft.balances.replace(id, { ...newPair(token, pair.ordinal), standard: pair.standard })
}

/**
 * A token id as before the first transfer, if there is one. What its holders have together is
 * counted by the changes of their pairs, in the last step.
 */
export function resetInstance(draft: StateDraft, id: string, token: Token): void {
  const instance = draft.instances.read(id)
  if (instance === undefined) return
  const { ordinal, held, holdersXor, unknowns } = instance
  draft.instances.replace(id, { ...freshInstance(ordinal, token), held, holdersXor, unknowns })
}

export interface BalanceOrigin {
  readonly token: Token
  /** The token's, or the instance's. */
  readonly ordinal: number
}

const newPair = (token: Token, ordinal: number): Balance => ({
  value: 0n,
  isKnown: token.isComplete,
  owned: 0,
  asOf: -1,
  standard: token.standard,
  isUnlisted: false,
  deviates: false,
  observedAt: 0,
  ordinal,
  knownFrom: token.knownFrom,
})

interface Owner {
  readonly owner: Address
  /** The block of the change. */
  readonly at: number
  /** The block after which it was observed while its token was in doubt; by default derived. */
  readonly observedAt?: number
}

/** ERC-721: the pair that counts the ids of an owner. */
function counted(draft: StateDraft, { address, token }: Nft, owner: Address): Balance {
  const id = balanceEntityId({ token: address, holder: owner, tokenId: null })
  return editBalance(draft, id, { token, ordinal: token.ordinal })
}

/** ERC-404: the pair of an id and its owner; held once, or not at all. */
function holding(draft: StateDraft, nft: Nft, { owner, at, observedAt = 0 }: Owner): Balance {
  const id = balanceEntityId({ token: nft.address, holder: owner, tokenId: nft.tokenId })
  const pair = editBalance(draft, id, { token: nft.token, ordinal: nft.instance.ordinal })
  pair.isKnown = true
  pair.asOf = at
  pair.observedAt = observedAt
  return pair
}

function gain(draft: StateDraft, nft: Nft, owner: Owner): void {
  if (nft.token.standard === 'ERC-721') counted(draft, nft, owner.owner).owned += 1
  if (nft.token.standard === 'ERC-404') holding(draft, nft, owner).value = 1n
}

function lose(draft: StateDraft, nft: Nft, owner: Owner): void {
  if (nft.token.standard === 'ERC-721') {
    const pair = counted(draft, nft, owner.owner)
    // Ids that it got before the contract said that it is a collection were not counted.
    pair.owned = Math.max(0, pair.owned - 1)
  }
  if (nft.token.standard === 'ERC-404') holding(draft, nft, owner).value = 0n
}

/** Sets the owner after a block. The previous owner comes from the log, not from the sender. */
export function changeOwner(draft: StateDraft, nft: Nft, change: Owner): void {
  const { owner, at, observedAt = 0 } = change
  const { instance } = nft
  if (at < instance.ownerAt) return
  const before = instance.owner
  const after = owner === zeroAddress ? null : owner
  instance.owner = after
  instance.ownerAt = at
  instance.observedAt = observedAt
  if (before !== null) lose(draft, nft, { ...change, owner: before })
  if (after !== null) gain(draft, nft, { ...change, owner: after })
}
