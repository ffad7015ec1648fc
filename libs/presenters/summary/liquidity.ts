import { type Action, actionsPerTransactionMax, type PoolType } from '../../chain/action.ts'
import { tokens } from './asset.ts'
import type { Flows } from './flows.ts'
import { joined, type Reading } from './phrase.ts'

/** What was put into a pool or taken out of it; of a position of fees too. */
export function liquidityReadings(actions: readonly Action[], flows: Flows): readonly Reading[] {
  if (actions.length >= actionsPerTransactionMax) return []
  // A bot that trades around others' trades, or a token that sells its own fees.
  const isSideEffect = flows.received.length === 0 && actions.some(({ type }) => type === 'swap')
  if (isSideEffect) return []
  const [added, taken] = [only(actions, 'mint'), only(actions, 'burn')]
  const collected = only(actions, 'collect')
  if (added !== null) return taken === null ? [reading('Added', added, 'of liquidity')] : []
  // Newer pools only book what is burned: what comes out, fees with it, is collected.
  if (collected !== null) {
    return [
      taken === null
        ? reading('Collected', collected, 'from a pool')
        : reading('Removed liquidity and collected', collected),
    ]
  }
  return taken === null ? [] : [reading('Removed', taken, 'of liquidity')]
}

/** The one action of a type; null if there is none, or more than one. */
function only(actions: readonly Action[], type: PoolType): Action | null {
  const [action, another] = actions.filter((at) => at.type === type)
  return action === undefined || another !== undefined ? null : action
}

function reading(verb: string, { sums }: Action, ...rest: readonly string[]): Reading {
  const assets = sums
    .filter(({ amount }) => amount > 0n)
    .map(({ token, amount }) => tokens(token, amount))
  return { verb, parts: [...joined(assets), ...rest] }
}
