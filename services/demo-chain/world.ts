import { getContractAddress } from 'viem'
import { type Address, address } from '../../libs/chain/hex.ts'
import type { Intent, PreparedTransaction } from './action.ts'
import { deployments, type Place } from './deployments.ts'
import type { Random } from './random.ts'

/**
 * What the traffic remembers of the chain it makes. It asks the chain nothing, so that a plan is
 * a function of the seed and the block numbers alone; what it gets wrong just fails on the chain.
 */
export interface World {
  readonly accounts: readonly Address[]
  readonly nonces: number[]
  readonly places: ReadonlyMap<Place, Address>
  /** Ids of collections and their owners, as account indexes. */
  readonly owners: Record<'art' | 'passes' | 'cats', Map<number, number>>
  nextId: number
  nextSalt: number
  /** Accounts that run another's code. */
  readonly delegated: Set<number>
}

/** The account that creates the contracts of the first block, nonce by nonce. */
export const deployer = 0

export function worldOf(accounts: readonly Address[]): World {
  const from = accounts[deployer]
  if (!from) throw new Error('the demo chain needs accounts')
  const places = new Map<Place, Address>()
  for (const [nonce, { place }] of deployments.entries()) {
    places.set(place, address(getContractAddress({ from, nonce: BigInt(nonce) })))
  }
  return {
    accounts,
    nonces: accounts.map(() => 0),
    places,
    owners: { art: new Map(), passes: new Map(), cats: new Map() },
    nextId: 1,
    nextSalt: 1,
    delegated: new Set(),
  }
}

export function accountOf(world: World, index: number): Address {
  const found = world.accounts[index]
  if (!found) throw new Error(`no account ${index}`)
  return found
}

export function placeOf(world: World, place: Place): Address {
  const found = world.places.get(place)
  if (!found) throw new Error(`no contract ${place}`)
  return found
}

/** A copy that shares nothing that changes. */
export function copyOf(world: World): World {
  const { art, passes, cats } = world.owners
  return {
    ...world,
    nonces: [...world.nonces],
    owners: { art: new Map(art), passes: new Map(passes), cats: new Map(cats) },
    delegated: new Set(world.delegated),
  }
}

/** An address and a slot of an access list cost 2,400 and 1,900 before anything is run. */
const accessListGas = 5_000n

const gwei = 1_000_000_000n

/** Gives an intent its nonce and price, and counts the nonces on. */
export function actionOf(world: World, random: Random, wanted: Intent): PreparedTransaction {
  const nonce = spendNonce(world, wanted.sender)
  const plain = wanted.to === null ? ([0, 2] as const) : ([2, 2, 2, 0, 2, 0, 1, 2] as const)
  const { authority } = wanted
  const envelope = wanted.type ?? random.pick(plain)
  return {
    ...wanted,
    nonce,
    envelope,
    gas: envelope === 1 ? wanted.gas + accessListGas : wanted.gas,
    price: gwei + BigInt(random.below(20)) * (gwei / 10n),
    authorityNonce: authority ? spendNonce(world, authority.account) : 0,
  }
}

function spendNonce(world: World, account: number): number {
  const nonce = world.nonces[account]
  if (nonce === undefined) throw new Error(`no account ${account}`)
  world.nonces[account] = nonce + 1
  return nonce
}
