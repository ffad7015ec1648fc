import { keccak_256 } from '@noble/hashes/sha3'
import { AnvilChain } from './anvil-chain.ts'
import {
  createAll,
  idsOfCollection,
  type Method,
  type OddToken,
  odd,
  ownerCall,
  plainToken,
  send,
} from './odd-contracts.ts'

/** What the node returns after a block. */
export interface Truth {
  /** By token and holder; null where the contract does not say it. */
  readonly balances: ReadonlyMap<string, bigint | null>
  /** By token. */
  readonly supplies: ReadonlyMap<string, bigint | null>
  /** By token and id; null where there is none. */
  readonly owners: ReadonlyMap<string, string | null>
}

export const pairKey = (token: string, holder: string): string => `${token} ${holder}`

const word = (value: bigint | number): string => value.toString(16).padStart(64, '0')
const slot = (number: number): string => `0x${word(number)}`
/** Where `parts` of a holder lies: the mapping is the fourth slot. */
const partSlot = (holder: string): string =>
  `0x${Buffer.from(keccak_256(Buffer.from(word(BigInt(holder)) + word(3), 'hex'))).toString('hex')}`

const genesis = '0x0000000000000000000000000000000000009001'
/** Receives the fee that a log tells. */
const collector = '0x0000000000000000000000000000000000000fee'

const addressIn = (word: string | null): string | null => word && `0x${word.slice(-40)}`

/** What nobody logs is seen where it is asked for: here, of each pair that a block may change. */
export const allSampled = { sampledCallsMax: 512 }

/** A chain of tokens that transfers do not explain, and of some that they do. */
export class OddChain {
  readonly node: AnvilChain
  readonly people: readonly string[]
  readonly tokens: OddToken[] = []
  #implementations: readonly string[] = []
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
    const code = await node.ask('eth_call', [{ data: plainToken() }, 'latest'])
    await node.ask('anvil_setCode', [genesis, code])
    const shares = people.slice(0, 3).map((who) => [partSlot(who), 1_000] as const)
    const slots = [[slot(1), 1_000 * shares.length] as const, [slot(2), 100] as const, ...shares]
    for (const [at, value] of slots) {
      await node.ask('anvil_setStorageAt', [genesis, at, slot(value)])
    }
    this.tokens.push({ name: 'genesis', at: genesis, isCollection: false, methods: ['mint'] })
  }

  async deploy(): Promise<void> {
    const { tokens, implementations } = await createAll(this.node, this.people)
    this.tokens.push(...tokens)
    this.#implementations = implementations
    // Without something to move most transfers would fail.
    await this.node.together(async () => {
      for (const [at, token] of this.tokens.entries()) {
        const [first = 'transfer'] = token.methods
        for (const turn of [0, 1]) {
          const who = this.people[(at + turn) % this.people.length] ?? ''
          await send(this.node, token.at, { method: first, from: who, to: who, value: 400n })
        }
      }
    })
  }

  readonly nameOf = (token: string): string =>
    this.tokens.find(({ at }) => at === token)?.name ?? token

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
    const { tokens, people, node } = this
    const token = tokens[this.#below(tokens.length)]
    const from = people[this.#below(people.length)] ?? ''
    const to = people[this.#below(people.length)] ?? ''
    if (token === undefined) return
    const value = BigInt(this.#below(200))
    const isOwn = this.#below(3) === 0
    const method = (isOwn && token.methods[this.#below(token.methods.length)]) || 'transfer'
    const target = method === 'upgradeTo' ? this.#implementations[this.#below(2)] : to
    await send(node, token.at, { method, from, to: target ?? '', value })
  }

  /** Its code is gone from the next block on, as by SELFDESTRUCT before Cancun. */
  async destroy(name: string): Promise<void> {
    await this.node.ask('anvil_setCode', [this.#at(name), '0x'])
  }

  #at(name: string): string {
    return this.tokens.find((token) => token.name === name)?.at ?? ''
  }

  /** Of each collection an id moves; a seized one is sent by who has seized it. */
  async moveIds(): Promise<void> {
    const [one = '', other = ''] = this.people
    const { owners } = await this.truth()
    await this.node.together(async () => {
      for (const { at, name } of this.tokens.filter(({ isCollection }) => isCollection)) {
        const from = owners.get(pairKey(at, '0')) ?? one
        const to = from === one ? other : one
        const isSeized = name === 'seizedIds'
        if (isSeized) await send(this.node, at, { method: 'seize', from, to, value: 0n })
        const ends = isSeized ? { from: to, to: from } : { from, to }
        await send(this.node, at, { method: 'transfer', ...ends, value: 0n })
      }
    })
  }

  /** Mines a block in which many get something of a token that is older. */
  async mintToMany(name: string, count: number): Promise<void> {
    const at = this.#at(name)
    const first = 0xc0_0000n + BigInt(this.#crowd.length)
    for (let one = 0n; one < count; one++) {
      this.#crowd.push({ at, who: `0x${(first + one).toString(16).padStart(40, '0')}` })
    }
    const data = odd.call('mintToMany', [first, BigInt(count)])
    await this.node.together(() => this.node.sendRaw({ to: at, data, gas: '0x1c9c380' }))
  }

  /** Somebody sends what no log has given: after this block the logs contradict all but a fee. */
  async reveal(): Promise<void> {
    const [one = '', other = ''] = this.people
    const ways: Record<string, readonly Method[]> = {
      allocated: [],
      silent: ['mintInSilence'],
      rebase: ['mint', 'rebase'],
      loggedRebase: ['mint', 'rebase'],
    }
    await this.node.together(async () => {
      for (const token of this.tokens) {
        for (const method of ways[token.name] ?? []) {
          await send(this.node, token.at, { method, from: one, to: one, value: 100_000n })
        }
      }
    })
    const { balances } = await this.truth()
    await this.node.together(async () => {
      for (const token of this.tokens) {
        const value = balances.get(pairKey(token.at, one)) ?? 0n
        if (!(token.name in ways)) continue
        await send(this.node, token.at, { method: 'transfer', from: one, to: other, value })
      }
    })
  }

  async truth(): Promise<Truth> {
    const { node, tokens, people } = this
    const pairs = tokens.flatMap(({ at }) => [...people, collector].map((who) => ({ at, who })))
    pairs.push(...this.#crowd)
    const owned = tokens
      .filter(({ isCollection }) => isCollection)
      .flatMap(({ at }) => idsOfCollection.map((id) => ({ at, id })))
    const balances = await node.callAll(
      pairs.map(({ at, who }) => ({ to: at, data: odd.call('balanceOf', [who]) })),
    )
    const supplies = await node.callAll(
      tokens.map(({ at }) => ({ to: at, data: odd.call('totalSupply', []) })),
    )
    const owners = await node.callAll(owned.map(({ at, id }) => ({ to: at, data: ownerCall(id) })))
    const amountIn = (word: string | null | undefined) => (word ? BigInt(word) : null)
    return {
      balances: new Map(pairs.map(({ at, who }, n) => [pairKey(at, who), amountIn(balances[n])])),
      supplies: new Map(tokens.map(({ at }, n) => [at, amountIn(supplies[n])])),
      owners: new Map(
        owned.map(({ at, id }, n) => [pairKey(at, `${id}`), addressIn(owners[n] ?? null)]),
      ),
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
