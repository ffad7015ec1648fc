import { keccak_256 } from '@noble/hashes/sha3'
import { compiled } from '../support/compiled.ts'
import { AnvilChain } from './anvil-chain.ts'

const odd = compiled(new URL('odd-tokens.sol', import.meta.url), 'Odd')
const kinds = { plain: 0, fee: 1, loggedRebase: 2, oldWrapped: 3, newWrapped: 4 } as const

interface OddToken {
  readonly name: string
  readonly at: string
  /** What may be called of it, besides `transfer`. */
  readonly methods: readonly string[]
}

/** What the node returns after a block. */
export interface Truth {
  /** By token and holder. */
  readonly balances: ReadonlyMap<string, bigint>
  /** By token. */
  readonly supplies: ReadonlyMap<string, bigint>
}

export const pairKey = (token: string, holder: string): string => `${token} ${holder}`

const word = (value: bigint | number): string => value.toString(16).padStart(64, '0')
const slot = (number: number): string => `0x${word(number)}`
/** Where `parts` of a holder lies: the mapping is the fourth slot. */
const partSlot = (holder: string): string =>
  `0x${Buffer.from(keccak_256(Buffer.from(word(BigInt(holder)) + word(3), 'hex'))).toString('hex')}`

const genesis = '0x0000000000000000000000000000000000009001'

/** A chain of tokens that transfers do not explain, and of some that they do. */
export class OddChain {
  readonly node: AnvilChain
  readonly people: readonly string[]
  readonly tokens: OddToken[] = []
  /** Holders of one token. */
  readonly #crowd: { at: string; who: string }[] = []
  /** Seeded, so that a failure can be repeated. */
  #seed = 20_261_128

  static async start(): Promise<OddChain> {
    const node = await AnvilChain.start()
    const chain = new OddChain(node, await node.accounts())
    await chain.#allocate()
    return chain
  }

  private constructor(node: AnvilChain, people: readonly string[]) {
    this.node = node
    this.people = people
  }

  /** A token with holders in the genesis block: the state before block 1 holds it. */
  async #allocate() {
    const { node, people } = this
    const code = await node.ask('eth_call', [{ data: odd.creation([kinds.plain, []]) }, 'latest'])
    await node.ask('anvil_setCode', [genesis, code])
    const shares = people.slice(0, 3).map((who) => [partSlot(who), 1_000] as const)
    const slots = [[slot(1), 1_000 * shares.length] as const, [slot(2), 100] as const, ...shares]
    for (const [at, value] of slots) {
      await node.ask('anvil_setStorageAt', [genesis, at, slot(value)])
    }
    this.tokens.push({ name: 'genesis', at: genesis, methods: ['mint'] })
  }

  async deploy(): Promise<void> {
    const some = this.people.slice(0, 2)
    await this.#create('plain', [kinds.plain, []], 'mint')
    await this.#create('allocated', [kinds.plain, some], 'mint')
    await this.#create('fee', [kinds.fee, []], 'mint')
    await this.#create('rebase', [kinds.plain, []], 'mint rebase')
    await this.#create('loggedRebase', [kinds.loggedRebase, []], 'mint rebase')
    await this.#create('silent', [kinds.plain, []], 'mint mintInSilence burnInSilence')
    await this.#create('oldWrapped', [kinds.oldWrapped, []], 'deposit withdraw')
    await this.#create('newWrapped', [kinds.newWrapped, []], 'deposit withdraw')
    // Without something to move most transfers would fail.
    await this.node.together(async () => {
      for (const [at, token] of this.tokens.entries()) {
        const [first = ''] = token.methods
        for (const turn of [0, 1]) {
          const who = this.people[(at + turn) % this.people.length] ?? ''
          await this.#call(token, first, { from: who, to: who, value: 400n })
        }
      }
    })
  }

  async #create(name: string, args: readonly [number, readonly string[]], methods: string) {
    const at = await this.node.create(odd.creation(args))
    this.tokens.push({ name, at, methods: methods.split(' ') })
  }

  nameOf(token: string): string {
    return this.tokens.find(({ at }) => at === token)?.name ?? token
  }

  #below(end: number): number {
    this.#seed = (Math.imul(this.#seed, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((this.#seed / 2 ** 32) * end)
  }

  /** Mines a block in which one to three things happen. @returns its number */
  async mine(): Promise<number> {
    await this.node.together(async () => {
      for (let times = 1 + this.#below(3); times > 0; times--) await this.#act()
    })
    return this.node.head()
  }

  async #act() {
    const { tokens, people } = this
    const token = tokens[this.#below(tokens.length)]
    const from = people[this.#below(people.length)] ?? ''
    const to = people[this.#below(people.length)] ?? ''
    if (token === undefined) return
    const value = BigInt(this.#below(200))
    const isOwn = this.#below(3) === 0
    const method = (isOwn && token.methods[this.#below(token.methods.length)]) || 'transfer'
    await this.#call(token, method, { from, to, value })
  }

  async #call(
    { at }: OddToken,
    method: string,
    { from, to, value }: { readonly from: string; readonly to: string; readonly value: bigint },
  ) {
    const single = method === 'withdraw' || method === 'burnInSilence'
    const without = method === 'deposit' || method === 'rebase'
    const data = odd.call(method, without ? [] : single ? [value] : [to, value])
    const coin = method === 'deposit' ? value : 0n
    await this.node.sendRaw({ to: at, from, data, value: `0x${coin.toString(16)}` })
  }

  /** Mines a block in which many get something of a token that is older. */
  async mintToMany(name: string, count: number): Promise<void> {
    const at = this.tokens.find((token) => token.name === name)?.at ?? ''
    const first = 0xc0_0000n
    for (let one = 0n; one < count; one++) {
      this.#crowd.push({ at, who: `0x${(first + one).toString(16).padStart(40, '0')}` })
    }
    const data = odd.call('mintToMany', [first, BigInt(count)])
    await this.node.together(() => this.node.sendRaw({ to: at, data, gas: '0x1c9c380' }))
  }

  /** Somebody sends what no log has given: after this block the logs contradict all but a fee. */
  async reveal(): Promise<void> {
    const [one = '', other = ''] = this.people
    const ways: Record<string, readonly string[]> = {
      allocated: [],
      silent: ['mintInSilence'],
      rebase: ['mint', 'rebase'],
      loggedRebase: ['mint', 'rebase'],
    }
    await this.node.together(async () => {
      for (const token of this.tokens) {
        for (const method of ways[token.name] ?? []) {
          await this.#call(token, method, { from: one, to: one, value: 100_000n })
        }
      }
    })
    const { balances } = await this.truth()
    await this.node.together(async () => {
      for (const token of this.tokens) {
        const value = balances.get(pairKey(token.at, one)) ?? 0n
        if (token.name in ways) await this.#call(token, 'transfer', { from: one, to: other, value })
      }
    })
  }

  async truth(): Promise<Truth> {
    const { node, tokens, people } = this
    const pairs = tokens.flatMap(({ at }) => people.map((who) => ({ at, who })))
    pairs.push(...this.#crowd)
    const asked = [
      ...pairs.map(({ at, who }) => ({ to: at, data: odd.call('balanceOf', [who]) })),
      ...tokens.map(({ at }) => ({ to: at, data: odd.call('totalSupply', []) })),
    ]
    const answers = await node.askAll(
      'eth_call',
      asked.map((one) => [one, 'latest']),
    )
    const values = answers.map((answer) => BigInt(String(answer)))
    return {
      balances: new Map(pairs.map(({ at, who }, n) => [pairKey(at, who), values[n] ?? 0n])),
      supplies: new Map(tokens.map(({ at }, n) => [at, values[pairs.length + n] ?? 0n])),
    }
  }

  /** A block as a folder of blocks holds it. */
  async file(number: number): Promise<string> {
    const at = `0x${number.toString(16)}`
    const [block, receipts] = await Promise.all([
      this.node.ask('eth_getBlockByNumber', [at, true]),
      this.node.ask('eth_getBlockReceipts', [at]),
    ])
    return JSON.stringify({ block, receipts })
  }

  stop(): Promise<void> {
    return this.node.stop()
  }
}
