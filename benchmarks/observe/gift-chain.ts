import { toFunctionSelector } from 'viem'
import { type Address, address, withoutPrefix } from '../../libs/chain/hex.ts'
import { AnvilChain } from '../../test/ingestor/anvil-chain.ts'
import { compiled } from '../../test/support/compiled.ts'

const source = new URL('gift-tokens.sol', import.meta.url)

/** What a block may take, so that one transaction may take it. */
const blockGas = 60_000_000
const createdPerBlock = 20
const supply = 1n << 64n
const gas = `0x${blockGas.toString(16)}`

const balanceOf = toFunctionSelector('balanceOf(address)')

/** A pair of a token and a holder. */
export interface GiftPair {
  readonly token: Address
  readonly holder: Address
}

/** Units that each token has given, in the order of the tokens. */
type Given = readonly number[]

/** A node whose blocks give units of tokens to addresses that had none. */
export class GiftChain {
  readonly node: AnvilChain
  readonly giver: Address
  readonly tokens: readonly Address[]
  readonly #places: ReadonlyMap<Address, number>
  readonly #give: (count: number) => string
  /** After block `first` and each that follows. */
  readonly #given: Given[]
  /** The block that created the last token. */
  readonly first: number

  /** @param count of tokens */
  static async start(count: number): Promise<GiftChain> {
    const node = await AnvilChain.start()
    try {
      const contract = compiled(source, 'Giver')
      const giver = address(await node.create(contract.creation([]), blockGas))
      for (let made = 0; made < count; made += createdPerBlock) {
        const some = Math.min(createdPerBlock, count - made)
        const data = contract.call('create', [some])
        await node.together(() => node.sendRaw({ to: giver, data, gas }))
      }
      const calls = Array.from({ length: count }, (_, at) => contract.call('tokenAt', [at]))
      const words = await node.callAll(calls.map((data) => ({ to: giver, data })))
      const tokens = words.map((word) => address(`0x${(word ?? '').slice(-40)}`))
      const give = (units: number) => contract.call('give', [units])
      return new GiftChain({ node, giver, tokens, give, first: await node.head() })
    } catch (error) {
      await node.stop()
      throw error
    }
  }

  private constructor({ node, giver, tokens, give, first }: GiftChainParts) {
    this.node = node
    this.giver = giver
    this.tokens = tokens
    this.first = first
    this.#give = give
    this.#places = new Map(tokens.map((token, at) => [token, at]))
    this.#given = [tokens.map(() => 0)]
  }

  get head(): number {
    return this.first + this.#given.length - 1
  }

  /** Mines a block of so many transfers. @returns its number */
  async mine(transfers = 0): Promise<number> {
    if (transfers > 0) {
      await this.node.sendRaw({ to: this.giver, data: this.#give(transfers), gas })
    }
    await this.node.mine()
    const before = this.#given.at(-1) ?? []
    const share = Math.floor(transfers / this.tokens.length)
    const rest = transfers % this.tokens.length
    const after = before.map((sum, at) => sum + share + (at < rest ? 1 : 0))
    this.#given.push(transfers === 0 ? before : after)
    return this.head
  }

  /** Leaves all blocks above one. */
  async leaveAbove(number: number): Promise<void> {
    await this.node.ask('anvil_rollback', [this.head - number])
    this.#given.length = number - this.first + 1
  }

  /** Units of all tokens that were given until a block. */
  givenAt(block: number): number {
    return this.#givenAfter(block).reduce((sum, given) => sum + given, 0)
  }

  /** Of a token, that were given until a block. */
  givenOf(token: Address, block: number): number {
    return this.#givenAfter(block)[this.#places.get(token) ?? -1] ?? 0
  }

  /** Which unit of its token an address receives, from 0. */
  placeOf(token: Address, holder: Address): number {
    return Number(BigInt(holder) - BigInt(token)) - 1
  }

  /** What a holder has of a token after a block, or how many there are; by what was mined. */
  valueAfter(block: number, token: Address, holder: Address | null): bigint {
    if (holder === null) return supply
    const given = this.givenOf(token, block)
    if (holder === this.giver) return supply - BigInt(given)
    const place = this.placeOf(token, holder)
    return place >= 0 && place < given ? 1n : 0n
  }

  /** What the contracts return at the newest block, each called alone. */
  async valuesNow(pairs: readonly GiftPair[]): Promise<readonly bigint[]> {
    const calls = pairs.map(({ token, holder }) => ({
      to: token,
      data: balanceOf + withoutPrefix(holder).padStart(64, '0'),
    }))
    // An empty batch is no request.
    const words = calls.length === 0 ? [] : await this.node.callAll(calls)
    return words.map((word) => BigInt(word ?? -1))
  }

  #givenAfter(block: number): Given {
    const given = this.#given[block - this.first]
    if (given === undefined) throw new Error(`block ${block} was not mined here`)
    return given
  }
}

interface GiftChainParts extends Pick<GiftChain, 'node' | 'giver' | 'tokens' | 'first'> {
  readonly give: (count: number) => string
}
