import { zeroAddress } from '../../libs/chain/hex.ts'
import { type Intent, intent } from './action.ts'
import { callOf, creationOf } from './artifact.ts'
import type { Random } from './random.ts'
import { somebody } from './traffic-of-tokens.ts'
import { accountOf, placeOf, type World } from './world.ts'

/** Contracts come into being: from outside, from within, and not at all. */
export function creation(world: World, random: Random): Intent {
  const sender = somebody(world, random)
  const workshop = placeOf(world, 'workshop')
  const salt = BigInt(world.nextSalt++)
  const gas = 3_500_000n
  const ways = [
    () => intent(sender, workshop, { input: callOf('Workshop', 'makeToken', [salt]), gas }),
    () => intent(sender, workshop, { input: callOf('Workshop', 'makeCollection', [salt]), gas }),
    () => intent(sender, null, { input: creationOf('Runner', []), gas }),
    () => intent(sender, null, { input: creationOf('Broken', []), gas }),
    () =>
      intent(sender, null, { input: creationOf('DemoToken', [`Coin ${salt}`, 'NEW', 18]), gas }),
  ]
  return random.pick(ways)()
}

/** Every manner of failure, and one that hides within a success. */
export function failingCall(world: World, random: Random): Intent {
  const call = random.pick([
    ['failWithText', ['the demo says no']],
    ['failWithError', [BigInt(random.below(100))]],
    ['failWithPanic', [0n]],
    ['failSilently', []],
    ['failWithoutGas', []],
    ['failWithin', []],
  ] as const)
  const input = callOf('Workshop', call[0], call[1])
  return intent(somebody(world, random), placeOf(world, 'workshop'), { input, gas: 90_000n })
}

/** Coin and a blob. */
export function blob(world: World, random: Random): Intent {
  const to = accountOf(world, random.below(world.accounts.length))
  return intent(somebody(world, random), to, { value: 1n, gas: 60_000n, type: 3 })
}

/**
 * An account takes on the runner's code, or lays it down. It has to be the last transaction of a
 * block: it spends a nonce of an account whose later ones would wait in the pool.
 */
export function codeSetting(world: World, random: Random): Intent {
  const sender = random.below(4)
  const account = 4 + random.below(3)
  const ends = world.delegated.has(account) && random.onceIn(3)
  if (ends) world.delegated.delete(account)
  else world.delegated.add(account)
  const delegate = ends ? zeroAddress : placeOf(world, 'runner')
  const to = accountOf(world, account)
  return intent(sender, to, { gas: 120_000n, type: 4, authority: { account, delegate } })
}

/** An account that runs code pays several at once. */
export function run(world: World, random: Random): Intent {
  const sender = random.pick([...world.delegated, 4])
  const to = accountOf(world, sender)
  const steps = [0, 1, 2].map(() => {
    const receiver = accountOf(world, random.below(world.accounts.length))
    const input = callOf('DemoToken', 'transfer', [receiver, BigInt(random.below(1_000))])
    return { to: placeOf(world, 'dollar'), value: 0n, input }
  })
  return intent(sender, to, { input: callOf('Runner', 'run', [steps]), gas: 400_000n })
}
