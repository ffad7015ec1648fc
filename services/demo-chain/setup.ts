import type { Address } from '../../libs/chain/hex.ts'
import { type Intent, intent } from './action.ts'
import { callOf, creationOf } from './artifact.ts'
import { deployments, type Place } from './deployments.ts'
import { accountOf, deployer, placeOf, type World } from './world.ts'

const coin = 10n ** 18n

/** How many blocks the list below fills; no reorganisation reaches into them. */
export const setupBlocks = 5

/** The first blocks: contracts, then something to trade for everybody, then a pool to trade in. */
export function setupOf(world: World): Intent[][] {
  const at = (place: Place) => placeOf(world, place)
  return [
    deployments.map(({ contract, args }) =>
      intent(deployer, null, { input: creationOf(contract, args(at)), gas: 3_500_000n }),
    ),
    grants(world, ['dollar', 'gold'], 10n ** 12n),
    grants(world, ['gem', 'old'], 10_000n * coin),
    world.accounts.flatMap((_, account) => [
      intent(account, at('wrapped'), { input: callOf('WrappedCoin', 'deposit', []), value: coin }),
      approval(account, at('wrapped'), at('pool')),
      approval(account, at('dollar'), at('pool')),
    ]),
    [...grants(world, ['nameless'], 1_000n), add(at('pool'))],
  ]
}

/** A little more for the popular: the first accounts are the busiest. */
function grants(world: World, places: readonly Place[], amount: bigint): Intent[] {
  return places.flatMap((place) =>
    world.accounts.map((_, account) => {
      const contract = place === 'old' ? 'OldToken' : 'DemoToken'
      const value = amount / BigInt(1 + (account % 8))
      const input = callOf(contract, 'mint', [accountOf(world, account), value])
      return intent(deployer, placeOf(world, place), { input, gas: 90_000n })
    }),
  )
}

function approval(account: number, token: Address, spender: Address): Intent {
  const input = callOf('WrappedCoin', 'approve', [spender, 2n ** 256n - 1n])
  return intent(account, token, { input, gas: 70_000n })
}

function add(pool: Address): Intent {
  const input = callOf('Pool', 'add', [10n ** 10n, coin / 2n])
  return intent(deployer, pool, { input })
}
