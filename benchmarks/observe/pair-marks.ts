import type { Address } from '../../libs/chain/hex.ts'
import type { GiftChain, GiftPair } from './gift-chain.ts'

/** Which of the pairs are observed that the blocks of a log have moved. */
export class PairMarks {
  readonly #chain: GiftChain
  readonly #fromBlock: number
  /** A byte for each unit of a token that the log gives, and the first for who gives it. */
  readonly #marks: ReadonlyMap<Address, Uint8Array>
  readonly moved: number
  #observed = 0

  /** @param fromBlock the first block of the log, whose last is the head of the chain */
  constructor(chain: GiftChain, fromBlock: number) {
    this.#chain = chain
    this.#fromBlock = fromBlock
    const given = (token: Address) =>
      chain.givenOf(token, chain.head) - chain.givenOf(token, fromBlock - 1)
    const moved = chain.tokens.filter((token) => given(token) > 0)
    this.#marks = new Map(moved.map((token) => [token, new Uint8Array(given(token) + 1)]))
    this.moved = [...this.#marks.values()].reduce((sum, { length }) => sum + length, 0)
  }

  get observed(): number {
    return this.#observed
  }

  /** @throws if the log does not move it */
  note({ token, holder }: GiftPair): void {
    const chain = this.#chain
    const first = chain.givenOf(token, this.#fromBlock - 1)
    const place = holder === chain.giver ? 0 : chain.placeOf(token, holder) - first + 1
    const marks = this.#marks.get(token)
    if (marks?.[place] === undefined) throw new Error(`the log does not move ${token} ${holder}`)
    if (marks[place] === 0) this.#observed += 1
    marks[place] = 1
  }
}
