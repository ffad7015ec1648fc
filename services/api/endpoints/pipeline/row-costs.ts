import { References } from '../../rows/references.ts'

/**
 * What it takes to look up and render something, as the bytes of a body that take as long
 * (`benchmarks/page-cost.ts`). Of an instance with its owner and its metadata.
 */
export const costs = { transfer: 2_048, address: 2_048, token: 2_048, instance: 12_288 } as const

interface CostedRows<R> {
  /** Adds what a row refers to. */
  readonly add: (references: References, row: R) => unknown
  /** Of the row alone. */
  readonly ownCost: (row: R) => number
}

/** The cost of each row of a page, in their order: a reference counts where it occurs first. */
export function rowCosts<R>({ add, ownCost }: CostedRows<R>): (row: R) => number {
  const references = new References()
  let before = 0
  return (row) => {
    add(references, row)
    const { addresses, tokens, instances } = references
    const all =
      addresses.size * costs.address + tokens.size * costs.token + instances.size * costs.instance
    const cost = ownCost(row) + all - before
    before = all
    return cost
  }
}
