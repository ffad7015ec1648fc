import type { BlocksMessage } from '../../../libs/topics/blocks.ts'

type Counts = ReadonlyMap<string, number>

/**
 * What the toy group must have counted, by whole copies of the state: a revert takes the copy
 * from before its block, so whatever was folded since is gone.
 */
export function truthOf(canonical: readonly BlocksMessage[]): Record<string, number> {
  let counts: Counts = new Map()
  const before: Counts[] = []
  for (const message of canonical) {
    switch (message.kind) {
      case 'block.applied':
        before.push(counts)
        counts = plus(
          counts,
          message.block.transactions.map(({ from }) => from),
        )
        break
      case 'state.observed':
        counts = plus(
          counts,
          message.balances.map(({ holder }) => holder),
        )
        break
      case 'block.reverted':
        counts = before.pop() ?? new Map()
        break
      case 'gap.declared':
        counts = new Map()
        before.length = 0
    }
  }
  return Object.fromEntries(counts)
}

function plus(counts: Counts, addresses: readonly string[]): Counts {
  const sum = new Map(counts)
  for (const address of addresses) sum.set(address, (sum.get(address) ?? 0) + 1)
  return sum
}
