import { once } from 'node:events'
import type { Block, Observation, Transaction, TransactionLog } from '../../libs/chain/block.ts'
import { type Address, address, type Hash, hash } from '../../libs/chain/hex.ts'
import { unknownExtras, unknownHeader } from '../../libs/chain/node-fields.ts'
import type {
  ChainSource,
  Code,
  SourceBlock,
  StateRequest,
  StateResult,
  TokensResult,
} from '../../libs/ports/chain-source.ts'
import { transferTopic } from '../../libs/projections/ledger/transfers.ts'

const sender = address(`0x${'abc'.padStart(40, '0')}`)

/** A source without node and file, whose chain a test grows, forks and spoils. */
export class SourceOfValues implements ChainSource {
  readonly chainId: number
  endsAtHead = true
  hasState = true
  readonly blocks = new Map<number, Block>()
  readonly observations = new Map<number, Observation>()
  /** Thrown one after the other by the next questions for blocks. */
  readonly troubles: Error[] = []
  /** Of the one transaction of blocks that grow from now on. */
  call: Pick<Transaction, 'to' | 'input'> = { to: sender, input: '0x' }
  /** None elsewhere. */
  readonly code = new Map<Address, Code>()
  /** Balances and supplies that it would observe, by token and holder. */
  readonly balances = new Map<string, bigint>()
  readonly asked: (readonly [block: number, tokens: readonly Address[]])[] = []
  readonly askedForCode: (readonly [block: number, addresses: readonly Address[]])[] = []
  readonly #changed = new EventTarget()

  constructor(chainId = 1) {
    this.chainId = chainId
  }

  /** Adds a block above the newest. @param salt blocks of other salts have other hashes */
  grow(salt: number, tokens: readonly Address[] = [], logs: readonly TransactionLog[] = []): Block {
    const number = Math.max(-1, ...this.blocks.keys()) + 1
    const parent = this.blocks.get(number - 1)
    const made = block(number, parent, { salt, tokens, logs, ...this.call })
    this.blocks.set(number, made)
    this.#changed.dispatchEvent(new Event('change'))
    return made
  }

  /** Leaves the newest `depth` blocks for `length` others. */
  fork(depth: number, length: number, salt: number): void {
    const head = Math.max(...this.blocks.keys())
    for (let number = head; number > head - depth; number--) this.blocks.delete(number)
    for (let grown = 0; grown < length; grown++) this.grow(salt)
  }

  async head(): Promise<number> {
    return Math.max(-1, ...this.blocks.keys())
  }

  async block(number: number): Promise<SourceBlock | null> {
    const trouble = this.troubles.shift()
    if (trouble) throw trouble
    const block = this.blocks.get(number)
    return block ? { ...block, contracts: [] } : null
  }

  async hash(number: number): Promise<Hash | null> {
    return this.blocks.get(number)?.hash ?? null
  }

  async nextNumber(number: number): Promise<number | null> {
    const held = [...this.blocks.keys()].filter((each) => each >= number)
    return held.length > 0 ? Math.min(...held) : null
  }

  async observed(number: number, hash: Hash): Promise<Observation | null> {
    const observation = this.observations.get(number)
    return observation ? { ...observation, hash } : null
  }

  async tokens(addresses: readonly Address[], number: number): Promise<TokensResult> {
    this.asked.push([number, addresses])
    const said = addresses.map((each) => ({
      address: each,
      standard: null,
      name: `token as of ${number}`,
      symbol: null,
      decimals: 18,
      totalSupply: 1n,
      block: number,
    }))
    return { metadata: said, failed: [], cutOff: [] }
  }

  async codes(addresses: readonly Address[], number: number): Promise<ReadonlyMap<Address, Code>> {
    this.askedForCode.push([number, addresses])
    return new Map(addresses.map((each) => [each, this.code.get(each) ?? 'none']))
  }

  async observe(
    { block, hash, values }: StateRequest,
    _urgency?: 'background',
  ): Promise<StateResult | null> {
    if (this.blocks.get(block)?.hash !== hash) return null
    const balances = values.flatMap(({ token, holder, tokenId }) => {
      const value = this.balances.get(token + holder + (tokenId ?? ''))
      return value === undefined || holder === null ? [] : { token, holder, tokenId, value }
    })
    const observation = { block, hash, balances, supplies: [], owners: [], tokens: [] }
    return { observation, unanswered: [], failed: [] }
  }

  async waitAbove(_: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    await once(this.#changed, 'change', { signal }).catch(() => {})
  }

  async close(): Promise<void> {}
}

const zeros = (count: number) => '0'.repeat(count)

export const tokenAddress = (number: number): Address =>
  address(`0x${number.toString(16).padStart(40, '0')}`)

interface Wish extends Pick<Transaction, 'to' | 'input'> {
  readonly salt: number
  readonly tokens: readonly Address[]
  readonly logs: readonly TransactionLog[]
}

function block(
  number: number,
  parent: Block | undefined,
  { salt, tokens, logs: others, to, input }: Wish,
): Block {
  const name = (kind: string) =>
    hash(`0x${kind}${salt.toString(16).padStart(8, '0')}${number.toString(16).padStart(54, '0')}`)
  const named = tokens.map(
    (token, index): TransactionLog => ({
      index,
      address: token,
      topics: [transferTopic],
      data: '0x',
    }),
  )
  const logs = [...named, ...others.map((log, at) => ({ ...log, index: named.length + at }))]
  return {
    number,
    hash: name('b1'),
    parentHash: parent?.hash ?? hash(`0x${zeros(64)}`),
    timestamp: 1_700_000_000 + number,
    parentTimestamp: parent?.timestamp ?? null,
    miner: sender,
    gasLimit: 30_000_000n,
    gasUsed: 21_000n,
    baseFeePerGas: null,
    ...unknownHeader,
    transactions: [
      {
        hash: name('77'),
        index: 0,
        type: 0,
        from: sender,
        to,
        nonce: number,
        value: 0n,
        input,
        gasLimit: 21_000n,
        gasUsed: 21_000n,
        gasPrice: 1n,
        maxFeePerGas: null,
        maxPriorityFeePerGas: null,
        status: 1,
        createdContract: null,
        revertReason: null,
        error: null,
        authorizations: [],
        logs,
        calls: null,
        ...unknownExtras,
      },
    ],
  }
}
