import { type Intent, intent } from './action.ts'
import { callOf } from './artifact.ts'
import type { Random } from './random.ts'
import { somebody } from './traffic-of-tokens.ts'
import { accountOf, placeOf, type World } from './world.ts'

/** Ids of collections that the traffic remembers; the oldest are left to their owners. */
const idsRememberedMax = 400

/** Mostly small ids in a row; now and then one that needs all 256 bits. */
function freshId(world: World, random: Random): bigint {
  const id = BigInt(world.nextId++)
  return random.onceIn(40) ? 2n ** 256n - 1n - id : id
}

export function collectionTrade(world: World, random: Random): Intent {
  const place = random.onceIn(3) ? 'passes' : 'art'
  const owners = world.owners[place]
  const to = placeOf(world, place)
  const known = [...owners]
  if (known.length < 5 || random.onceIn(2)) {
    const id = freshId(world, random)
    const owner = random.below(world.accounts.length)
    if (id < 2n ** 32n) remember(owners, Number(id), owner)
    const input = callOf('Collection', 'mint', [accountOf(world, owner), id])
    return intent(somebody(world, random), to, { input, gas: 150_000n })
  }
  const [id, owner] = random.pick(known)
  if (random.onceIn(12)) {
    owners.delete(id)
    return intent(owner, to, { input: callOf('Collection', 'burn', [BigInt(id)]) })
  }
  const next = random.below(world.accounts.length)
  // Somebody who does not own it tries: it fails and stays where it is.
  const thief = random.onceIn(15) ? somebody(world, random) : owner
  if (thief === owner) owners.set(id, next)
  const input = callOf('Collection', 'transferFrom', [
    accountOf(world, owner),
    accountOf(world, next),
    BigInt(id),
  ])
  return intent(thief, to, { input, gas: 120_000n })
}

/** The collection from before the standard. */
export function catTrade(world: World, random: Random): Intent {
  const { cats } = world.owners
  const to = placeOf(world, 'cats')
  const next = random.below(world.accounts.length)
  const known = [...cats]
  if (known.length === 0 || random.onceIn(2)) {
    const id = world.nextId++
    remember(cats, id, next)
    const input = callOf('OldCollection', 'mint', [accountOf(world, next), BigInt(id)])
    return intent(somebody(world, random), to, { input, gas: 120_000n })
  }
  const [id, owner] = random.pick(known)
  cats.set(id, next)
  const input = callOf('OldCollection', 'transfer', [accountOf(world, next), BigInt(id)])
  return intent(owner, to, { input, gas: 120_000n })
}

const itemKinds = 24

/** ERC-1155, single and in batches; a batch may name an id twice, or nothing. */
export function itemTrade(world: World, random: Random): Intent {
  const sender = somebody(world, random)
  const mine = accountOf(world, sender)
  const other = accountOf(world, random.below(world.accounts.length))
  const to = placeOf(world, 'items')
  const id = () => BigInt(random.skewed(itemKinds))
  if (random.onceIn(4)) {
    const input = callOf('Items', 'mint', [other, id(), BigInt(1 + random.below(100))])
    return intent(sender, to, { input, gas: 150_000n })
  }
  if (random.onceIn(3)) {
    const input = callOf('Items', 'safeTransferFrom', [mine, other, id(), 1n, '0x'])
    return intent(sender, to, { input, gas: 150_000n })
  }
  const count = random.onceIn(12) ? 55 : random.below(9)
  const ids = Array.from({ length: count }, id)
  const minting = count > 9 || random.onceIn(2)
  const values = ids.map(() => BigInt(minting ? 5 + random.below(50) : random.below(3)))
  const gas = 150_000n + BigInt(count) * 40_000n
  if (minting) {
    return intent(sender, to, { input: callOf('Items', 'mintBatch', [other, ids, values]), gas })
  }
  const input = random.onceIn(4)
    ? callOf('Items', 'burnBatch', [ids, values])
    : callOf('Items', 'safeBatchTransferFrom', [mine, other, ids, values, '0x'])
  return intent(sender, to, { input, gas })
}

/** Whole units and parts of them: the former move instances as well. */
export function hybridTrade(world: World, random: Random): Intent {
  const sender = somebody(world, random)
  const other = accountOf(world, random.below(world.accounts.length))
  const to = placeOf(world, 'hybrid')
  const minting = random.onceIn(3)
  const input = minting
    ? callOf('Hybrid', 'mint', [other, BigInt(1 + random.below(4))])
    : callOf('Hybrid', 'transfer', [other, BigInt(random.below(40)) * 10n ** 17n])
  return intent(sender, to, { input, gas: 700_000n })
}

function remember(owners: Map<number, number>, id: number, owner: number): void {
  owners.set(id, owner)
  const [oldest] = owners.keys()
  if (owners.size > idsRememberedMax && oldest !== undefined) owners.delete(oldest)
}
