import { LRUCache } from 'lru-cache'
import type { Address } from '../../libs/chain/hex.ts'
import type { Code, SourceBlock } from '../../libs/ports/chain-source.ts'

interface KnownRecipient {
  /** The block that showed it first, as far as is remembered. */
  readonly block: number
  readonly code: Code
}

interface RecipientLimits {
  /** Size of the cache; an evicted address is queried and published again, which is harmless. */
  readonly recipientsMax: number
  /** Contracts are attached while their first block is less deep than this. */
  readonly firstSightDepthMax: number
}

/** Queries the code of addresses as of a block; see `ChainSource.codes`. */
type Ask = (addresses: readonly Address[], block: number) => Promise<ReadonlyMap<Address, Code>>

/** Recent recipients of calls, and whether they have code; each is queried once. */
export class Recipients {
  readonly #limits: RecipientLimits
  readonly #known: LRUCache<Address, KnownRecipient>

  constructor(limits: RecipientLimits) {
    this.#limits = limits
    // Bounded by size, each of one: a bound by number takes room for all of them at once.
    this.#known = new LRUCache({ maxSize: limits.recipientsMax, sizeCalculation: () => 1 })
  }

  /**
   * What to attach to each of some blocks in a row: recipients with code of their own, as long as
   * that is not known deep. A block's proof counts unless the source knows of a delegation: that
   * there is no code may only mean that it was destroyed since.
   */
  async contractsIn(blocks: readonly SourceBlock[], ask: Ask) {
    const asked = new Set<Address>()
    const questions = blocks.map((block) => {
      const unknown = calledIn(block).filter((to) => !this.#known.has(to) && !asked.has(to))
      for (const to of unknown) asked.add(to)
      return { block, unknown }
    })
    const answers = await Promise.all(
      questions.map(async ({ block, unknown }) =>
        unknown.length > 0 ? await ask(unknown, block.number) : nothing,
      ),
    )
    return questions.map(({ block, unknown }, at) => {
      for (const to of unknown) {
        const code = answers[at]?.get(to)
        if (code !== undefined) this.#known.set(to, { block: block.number, code })
      }
      for (const to of block.contracts) this.#prove(to, block.number)
      return calledIn(block).filter((to) => this.#isFresh(to, block.number))
    })
  }

  /** To be called when blocks are reverted. */
  forget(): void {
    this.#known.clear()
  }

  #prove(address: Address, block: number): void {
    const { code = 'none' } = this.#known.get(address) ?? {}
    if (code === 'none') this.#known.set(address, { block, code: 'own' })
  }

  #isFresh(address: Address, block: number): boolean {
    const met = this.#known.get(address)
    return met?.code === 'own' && block - met.block < this.#limits.firstSightDepthMax
  }
}

const nothing: Awaited<ReturnType<Ask>> = new Map()

/** Recipients of calls with input, and of payments that ran code, each once. */
function calledIn({ transactions, contracts }: SourceBlock): readonly Address[] {
  const called = transactions.flatMap(({ to, input }) => (to !== null && input !== '0x' ? to : []))
  return [...new Set([...called, ...contracts])]
}
