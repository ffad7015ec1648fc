import { describe, expect, it } from 'vitest'
import { address, hash } from '../../chain/hex.ts'
import { silentLog } from '../../signals/log.ts'
import { StateObserver } from './observe-state.ts'
import { RpcClient } from './rpc-client.ts'
import { rpcLimits } from './rpc-limits.ts'
import type { RpcAnswer, RpcCall } from './rpc-transport.ts'

const coin = address(`0x${'c'.repeat(40)}`)
const [alice, bob] = [address(`0x${'a'.repeat(40)}`), address(`0x${'b'.repeat(40)}`)]
const own = hash(`0x${'1'.repeat(64)}`)
const foreign = hash(`0x${'2'.repeat(64)}`)
const question = {
  block: 7,
  hash: own,
  balances: [
    { token: coin, holder: alice },
    { token: coin, holder: bob },
  ],
  supplies: [coin],
}
const word = (value: number): RpcAnswer => ({ result: `0x${`${value}`.padStart(64, '0')}` })
const no = (message: string, code = -32000): RpcAnswer => ({ error: { code, message } })

/** A node that answers calls one by one as told; its block 7 has that hash. */
function observer(answer: (call: RpcCall, at: number) => RpcAnswer, hashes = [own]) {
  const asked: RpcCall[][] = []
  const warnings: string[] = []
  const transport = {
    async send(calls: readonly RpcCall[]) {
      asked.push([...calls])
      return calls.map(answer)
    },
    close() {},
  }
  const log = { ...silentLog, warn: (_: unknown, sentence: string) => void warnings.push(sentence) }
  const client = new RpcClient(transport, { ...rpcLimits, retriesMax: 0 }, { log })
  const standing = {
    hash: async () => (hashes.length > 1 ? hashes.shift() : hashes[0]) ?? null,
    head: async () => 1_000,
  }
  return { observed: new StateObserver(client, standing, log), asked, warnings }
}

describe('balances as of one very block', () => {
  it('are asked by its hash, with the supply', async () => {
    const { observed, asked } = observer((_, at) => word(at + 1))
    expect(await observed.observe(question)).toEqual({
      block: 7,
      hash: own,
      balances: [
        { token: coin, holder: alice, tokenId: null, value: 1n },
        { token: coin, holder: bob, tokenId: null, value: 2n },
      ],
      supplies: [{ token: coin, value: 3n }],
      owners: [],
      tokens: [],
    })
    expect(asked[0]?.map(({ params }) => params[1])).toEqual(Array(3).fill({ blockHash: own }))
  })

  it('leave out what the contract does not say well', async () => {
    const answers = [word(1), no('execution reverted: state pruned', 3), { result: '0x' }]
    const { observed, warnings } = observer((_, at) => answers[at] ?? word(0))
    expect(await observed.observe(question)).toMatchObject({
      balances: [{ holder: alice, value: 1n }],
      supplies: [],
    })
    expect(warnings).toEqual([])
  })

  it('are nothing where the node has lost the state, which is said once, and not asked for again', async () => {
    const { observed, asked, warnings } = observer(() => no('missing trie node 12ab'))
    const both = [question, { ...question, block: 5 }].map((each) => observed.observe(each))
    expect(await Promise.all(both)).toEqual([null, null])
    asked.splice(0, 1)
    expect(await observed.observe({ ...question, block: 6 })).toBeNull()
    expect(await observed.observe({ ...question, block: 1_000 - 128 })).toBeNull()
    expect(asked).toHaveLength(1)
    expect(await observed.observe({ ...question, block: 1_000 - 127 })).toBeNull()
    expect(asked).toHaveLength(2)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('no state of block 7: balances')
  })

  it('are trouble while the node does not know the hash, and then nothing', async () => {
    const { observed, warnings } = observer(() => no('header for hash not found'))
    await expect(observed.observe(question)).rejects.toMatchObject({ kind: 'half-answer' })
    expect(await observed.observe(question)).toBeNull()
    expect(warnings).toHaveLength(1)
    // The block that stands in its place has the same number.
    await expect(observed.observe({ ...question, hash: foreign })).rejects.toThrow(foreign)
  })
})

describe('a node that takes no hashes', () => {
  const byNumber = ({ params }: RpcCall) =>
    typeof params[1] === 'string' ? word(5) : no('invalid argument 1: hex string expected', -32602)

  it('is asked by number', async () => {
    const { observed, asked, warnings } = observer(byNumber)
    expect(await observed.observe(question)).toMatchObject({ supplies: [{ value: 5n }] })
    expect(await observed.observe(question)).toMatchObject({ supplies: [{ value: 5n }] })
    expect(asked.map((calls) => calls[0]?.params[1])).toEqual([{ blockHash: own }, '0x7', '0x7'])
    expect(warnings).toHaveLength(1)
  })

  it.each([
    ['before', [foreign]],
    ['meanwhile', [own, foreign]],
  ])('is not believed if the block was another %s', async (_, hashes) => {
    const { observed } = observer(byNumber, hashes)
    await expect(observed.observe(question)).rejects.toThrow('does not know block 7 by its hash')
  })
})
