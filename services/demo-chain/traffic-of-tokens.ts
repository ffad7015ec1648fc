import { type Address, address, zeroAddress } from '../../libs/chain/hex.ts'
import { type Intent, intent } from './action.ts'
import { callOf } from './artifact.ts'
import type { ContractName } from './contract-names.ts'
import type { Place } from './deployments.ts'
import type { Random } from './random.ts'
import { accountOf, placeOf, type World } from './world.ts'

const milli = 10n ** 15n

/** Some account, the first ones far more often. */
export const somebody = (world: World, random: Random) => random.skewed(world.accounts.length)

/** An account, or now and then an address that nobody has seen yet. */
function someAddress(world: World, random: Random): Address {
  if (!random.onceIn(12)) return accountOf(world, random.below(world.accounts.length))
  const word = (random.below(2 ** 32) >>> 0).toString(16).padStart(8, '0')
  return address(`0x${word.repeat(5)}`)
}

/** Coin moves; now and then to oneself, or nothing at all. */
export function coinTransfer(world: World, random: Random): Intent {
  const sender = somebody(world, random)
  const to = random.onceIn(10) ? accountOf(world, sender) : someAddress(world, random)
  const value = random.onceIn(15) ? 0n : BigInt(1 + random.below(900)) * milli
  // An account that runs code needs more than a plain transfer's gas.
  return intent(sender, to, { value, gas: world.delegated.size > 0 ? 60_000n : 21_000n })
}

const tokens = [
  { place: 'dollar', contract: 'DemoToken', unit: 10_000n },
  { place: 'gem', contract: 'DemoToken', unit: milli },
  { place: 'wrapped', contract: 'WrappedCoin', unit: milli / 100n },
  { place: 'gold', contract: 'DemoToken', unit: 1_000n },
  { place: 'old', contract: 'OldToken', unit: milli },
  { place: 'nameless', contract: 'DemoToken', unit: 1n },
] as const satisfies readonly { place: Place; contract: ContractName; unit: bigint }[]

/** Odd amounts, so that balances look like balances. */
const amountOf = (random: Random, unit: bigint) =>
  unit * BigInt(random.below(2_000)) + BigInt(random.below(Number(unit < 1_000n ? 3n : 999n)))

export function tokenTransfer(world: World, random: Random): Intent {
  const { place, contract, unit } = tokens[random.skewed(tokens.length)] ?? tokens[0]
  const sender = somebody(world, random)
  const to = random.onceIn(20) ? accountOf(world, sender) : someAddress(world, random)
  const value = random.onceIn(25) ? 0n : amountOf(random, unit)
  const input = callOf(contract, 'transfer', [to, value])
  return intent(sender, placeOf(world, place), { input, gas: 120_000n })
}

/** An approval, or the use of one; without one before, the use fails. */
export function allowance(world: World, random: Random): Intent {
  const place = random.pick(['dollar', 'gem', 'gold'] as const)
  const owner = somebody(world, random)
  const spender = random.below(world.accounts.length)
  const value = amountOf(random, 10_000n)
  const input = random.onceIn(2)
    ? callOf('DemoToken', 'approve', [accountOf(world, spender), value])
    : callOf('DemoToken', 'transferFrom', [
        accountOf(world, spender),
        someAddress(world, random),
        value / 4n,
      ])
  return intent(owner, placeOf(world, place), { input, gas: 120_000n })
}

/** Supply comes and goes; a mint to the zero address fails, with a custom error. */
export function supplyChange(world: World, random: Random): Intent {
  const { place, unit } = random.pick([tokens[0], tokens[1], tokens[3]] as const)
  const to = random.onceIn(10) ? zeroAddress : someAddress(world, random)
  const input = random.onceIn(3)
    ? callOf('DemoToken', 'burn', [amountOf(random, unit)])
    : callOf('DemoToken', 'mint', [to, amountOf(random, unit)])
  return intent(somebody(world, random), placeOf(world, place), { input, gas: 120_000n })
}

/** One transaction with more transfers than a list row shows. */
export function spread(world: World, random: Random): Intent {
  const count = 8 + random.below(70)
  const to = Array.from({ length: count }, () => someAddress(world, random))
  const input = callOf('DemoToken', 'spread', [to, BigInt(1 + random.below(50))])
  const gas = 60_000n + BigInt(count) * 40_000n
  return intent(somebody(world, random), placeOf(world, 'dollar'), { input, gas })
}

export function wrap(world: World, random: Random): Intent {
  const to = placeOf(world, 'wrapped')
  const sender = somebody(world, random)
  const value = BigInt(1 + random.below(500)) * milli
  if (random.onceIn(3)) {
    const input = callOf('WrappedCoin', 'withdraw', [value / 2n])
    return intent(sender, to, { input, gas: 90_000n })
  }
  // Coin sent without a word is a deposit too.
  const input = random.onceIn(4) ? '0x' : callOf('WrappedCoin', 'deposit', [])
  return intent(sender, to, { input, value, gas: 90_000n })
}

export function poolTrade(world: World, random: Random): Intent {
  const sender = somebody(world, random)
  const to = placeOf(world, 'pool')
  if (random.onceIn(8)) {
    const input = callOf('Pool', 'add', [
      amountOf(random, 1_000n),
      amountOf(random, milli / 1_000n),
    ])
    return intent(sender, to, { input })
  }
  if (random.onceIn(10)) {
    const input = callOf('Pool', 'remove', [BigInt(random.below(10 ** 9))])
    return intent(sender, to, { input })
  }
  const forward = random.onceIn(2)
  const amount = random.onceIn(15) ? 0n : amountOf(random, forward ? 1_000n : milli / 1_000n)
  return intent(sender, to, { input: callOf('Pool', 'swap', [forward, amount]) })
}
