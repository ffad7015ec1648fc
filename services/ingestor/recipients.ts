import { LRUCache } from 'lru-cache'
import type { Address } from '../../libs/chain/hex.ts'
import type { SourceBlock } from '../../libs/ports/node.ts'

interface Met {
  /** The block that showed it first, as far as is remembered. */
  readonly block: number
  readonly hasCode: boolean
}

export interface RecipientLimits {
  /** Addresses remembered; whoever is forgotten is asked and told again, which changes nothing. */
  readonly recipientsMax: number
  /** Code is told while its first sight is less deep than this. */
  readonly firstSightDepthMax: number
}

/** Asks which have code, as of a block; see `ChainSource.contracts`. */
type Ask = (addresses: readonly Address[], block: number) => Promise<readonly Address[]>

/** Whom calls were sent to lately, and whether there is code; each is asked once. */
export class Recipients {
  readonly #limits: RecipientLimits
  readonly #met: LRUCache<Address, Met>

  constructor(limits: RecipientLimits) {
    this.#limits = limits
    this.#met = new LRUCache({ max: limits.recipientsMax })
  }

  /** What to attach to each of some blocks in a row: recipients with code, not yet known deep. */
  async contractsIn(blocks: readonly SourceBlock[], ask: Ask) {
    for (const { contracts, number } of blocks) {
      for (const address of contracts) this.#note(address, { block: number, hasCode: true })
    }
    const asked = new Set<Address>()
    const questions = blocks.map((block) => {
      const unknown = calledIn(block).filter((to) => !this.#met.has(to) && !asked.has(to))
      for (const to of unknown) asked.add(to)
      return { block: block.number, unknown }
    })
    await Promise.all(
      questions.map(async ({ block, unknown }) => {
        const withCode = new Set(unknown.length > 0 ? await ask(unknown, block) : [])
        for (const to of unknown) this.#note(to, { block, hasCode: withCode.has(to) })
      }),
    )
    return blocks.map((block) => {
      const met = [...new Set([...block.contracts, ...calledIn(block)])]
      return met.filter((to) => this.#isFresh(to, block.number))
    })
  }

  /** Blocks are left: what they showed may be no more. */
  forget(): void {
    this.#met.clear()
  }

  #note(address: Address, seen: Met): void {
    const known = this.#met.get(address)
    if (known === undefined || (seen.hasCode && !known.hasCode)) this.#met.set(address, seen)
  }

  #isFresh(address: Address, block: number): boolean {
    const met = this.#met.get(address)
    return met?.hasCode === true && block - met.block < this.#limits.firstSightDepthMax
  }
}

/** Recipients of calls with input, each once; those of plain payments need no code. */
function calledIn({ transactions }: SourceBlock): readonly Address[] {
  const called = transactions.flatMap(({ to, input }) => (to !== null && input !== '0x' ? to : []))
  return [...new Set(called)]
}
