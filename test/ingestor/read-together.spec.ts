import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import { type Address, address, type Hash } from '../../libs/chain/hex.ts'
import type { StateRef, StateResult } from '../../libs/ports/chain-source.ts'
import { compiled } from '../support/compiled.ts'
import { AnvilChain } from './anvil-chain.ts'
import { poorerNode } from './poorer-node.ts'

const odd = compiled(new URL('odd-tokens.sol', import.meta.url), 'Odd')
const hostile = compiled(new URL('hostile.sol', import.meta.url), 'Hostile')
const manners = { reverts: 0, burnsGas: 1, returnsMuch: 2, fails: 4, lies: 5 }

const holders = Array.from({ length: 150 }, (_, at) =>
  address(`0x${(0x1000 + at).toString(16).padStart(40, '0')}`),
)
const balancesOf = (token: Address): StateRef[] =>
  holders.map((holder) => ({ token, holder, tokenId: null }))

/** Calls of contracts, and what the node makes of those with a state override. */
interface Seen {
  calls: number
  overridden: number
}

describe('balances of one token', () => {
  let chain: AnvilChain
  let token: Address
  let blocks: { readonly block: number; readonly hash: Hash }[]
  const others: Address[] = []

  beforeAll(async () => {
    chain = await AnvilChain.start()
    token = address(await chain.create(odd.creation([0, holders]), 20_000_000))
    for (const manner of Object.values(manners)) {
      others.push(address(await chain.create(hostile.creation([manner, 'out of gas']))))
    }
    await chain.mine(8)
    const head = await chain.head()
    const numbers = Array.from({ length: 8 }, (_, at) => head - at)
    blocks = await Promise.all(
      numbers.map(async (block) => ({ block, hash: await chain.hash(block) })),
    )
  })
  afterAll(() => chain.stop())

  /** As of some blocks, one after the other; the last result. */
  async function asked(values: readonly StateRef[], { times = 1, takesOverrides = true } = {}) {
    const seen: Seen = { calls: 0, overridden: 0 }
    const node = await poorerNode(chain.url, ({ method, params }) => {
      if (method !== 'eth_call') return null
      seen.calls += 1
      if (params.length < 3) return null
      seen.overridden += 1
      return takesOverrides ? null : { code: -32602, message: 'too many arguments, want at most 2' }
    })
    const source = await rpcSource({ url: node.url, limits: { retryMinMs: 1 } })
    try {
      let result: StateResult | null = null
      for (const block of blocks.slice(0, times))
        result = await source.observe({ ...block, values })
      return { result, seen }
    } finally {
      await source.close()
      node.close()
    }
  }

  const expected = () =>
    holders.map((holder, at) => ({ token, holder, tokenId: null, value: 1_000n * BigInt(at + 1) }))

  it('come by a call for each request, where the node takes state overrides', async () => {
    const supply = { token, holder: null, tokenId: null }
    const { result, seen } = await asked([supply, ...balancesOf(token)])
    expect(result?.observation.balances).toEqual(expected())
    expect(result?.observation.supplies).toEqual([{ token, value: 11_325_000n }])
    expect(seen).toEqual({ calls: 3, overridden: 3 })
  })

  it('are the same where it takes none, which is not tried for ever', async () => {
    const { result, seen } = await asked(balancesOf(token), { times: 8, takesOverrides: false })
    expect(result?.observation.balances).toEqual(expected())
    expect(seen).toEqual({ calls: 8 * 150 + 9, overridden: 9 })
  })

  it('come whatever other contracts do', async () => {
    const values = [...others.flatMap(balancesOf), ...balancesOf(token)]
    const { result } = await asked(values)
    const told = result?.observation.balances ?? []
    expect(told.filter((one) => one.token === token)).toEqual(expected())
    // What is longer than a word begins with one.
    const rest = told.filter((one) => one.token !== token)
    expect(new Set(rest.map((one) => one.token))).toEqual(new Set(others.slice(-1)))
  })
})
