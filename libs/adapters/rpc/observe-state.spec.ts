import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { address, hash } from '../../chain/hex.ts'
import { silentLog } from '../../signals/log.ts'
import { BestEffortCalls } from './best-effort-calls.ts'
import { HistoricalState } from './historical-state.ts'
import { PrunedState } from './node-capabilities.ts'
import { StateObserver } from './observe-state.ts'
import { RpcClient } from './transport/rpc-client.ts'
import { type RpcCall, type RpcResponse, rpcLimits } from './transport/rpc-transport.ts'

const coin = address(`0x${'c'.repeat(40)}`)
const [alice, bob] = [address(`0x${'a'.repeat(40)}`), address(`0x${'b'.repeat(40)}`)]
const own = hash(`0x${'1'.repeat(64)}`)
const foreign = hash(`0x${'2'.repeat(64)}`)
const values = [null, alice, bob].map((holder) => ({ token: coin, holder, tokenId: null }))
const question = { block: 7, hash: own, values }
const at = (block: number) => ({ ...question, block })
const word = (value: number): RpcResponse => ({ result: `0x${`${value}`.padStart(64, '0')}` })
const no = (message: string, code = -32000): RpcResponse => ({ error: { code, message } })

/** Answers to calls of contracts and, for all else, of the node itself. */
interface Answers {
  readonly contract: (call: RpcCall, at: number) => RpcResponse
  readonly node?: (call: RpcCall) => RpcResponse
  /** Of its block 7, one after the other; the last one stays. */
  readonly hashes?: (typeof own)[]
}

function observer({ contract, node = () => word(0), hashes = [own] }: Answers) {
  const asked: RpcCall[][] = []
  const warnings: string[] = []
  const transport = {
    async send(calls: readonly RpcCall[]) {
      asked.push([...calls])
      return calls.map((call, at) => (call.method === 'eth_call' ? contract(call, at) : node(call)))
    },
    close() {},
  }
  const log = { ...silentLog, warn: (_: unknown, sentence: string) => void warnings.push(sentence) }
  const limits = { ...rpcLimits, retriesMax: 0, retryMinMs: 0 }
  const client = new RpcClient(transport, limits, { log })
  const chain = {
    hash: async () => (hashes.length > 1 ? hashes.shift() : hashes[0]) ?? null,
    head: async () => 1_000_000,
  }
  const calls = new BestEffortCalls(client)
  const horizon = new PrunedState(log)
  const state = new HistoricalState(client, calls, horizon)
  const parts = { client, calls, horizon, state, chain }
  return { observed: new StateObserver(parts), asked, warnings }
}

describe('balances as of one very block', () => {
  it('are asked by its hash, with the supply', async () => {
    const { observed, asked } = observer({ contract: (_, at) => word(at + 1) })
    const { observation } = (await observed.observe(question)) ?? {}
    expect(observation).toEqual({
      block: 7,
      hash: own,
      balances: [
        { token: coin, holder: alice, tokenId: null, value: 2n },
        { token: coin, holder: bob, tokenId: null, value: 3n },
      ],
      supplies: [{ token: coin, value: 1n }],
      owners: [],
      tokens: [],
    })
    expect(asked[0]?.map(({ params }) => params[1])).toEqual(Array(3).fill({ blockHash: own }))
  })

  it('leave out what the contract rejects or returns malformed, whatever its message', async () => {
    const answers = [
      no('execution reverted: invalid argument, blockhash pruned', 3),
      no('execution reverted: missing trie node'),
      { result: '0x' },
    ]
    const { observed, asked, warnings } = observer({ contract: (_, at) => answers[at] ?? word(0) })
    expect(await observed.observe(question)).toMatchObject({
      observation: { balances: [], supplies: [] },
      unanswered: [],
      failed: [],
    })
    expect([asked.length, warnings]).toEqual([1, []])
  })

  it('are reported as unanswered if a contract fails and the node works', async () => {
    const { observed, asked, warnings } = observer({
      contract: (_, at) => (at === 0 ? no('missing trie node 12ab') : word(5)),
    })
    // Asked again alone, each is the first of its request.
    expect(await observed.observe(question)).toMatchObject({
      observation: { balances: [{ holder: alice }, { holder: bob }], supplies: [] },
      unanswered: [{ token: coin, holder: null }],
      failed: [coin],
    })
    expect(asked.map(([call]) => call?.method)).toEqual([
      'eth_call',
      'eth_getBalance',
      'eth_call',
      'eth_call',
    ])
    expect(warnings).toEqual([])
  })
})

describe('a state that the node lacks', () => {
  const lost = { contract: () => no('missing trie node 12ab'), node: () => no('any words') }

  it('is detected by a request that involves no contract', async () => {
    const { observed, asked, warnings } = observer(lost)
    expect(await observed.observe(question)).toBeNull()
    expect(asked.map(([call]) => call?.method)).toEqual([
      'eth_call',
      'eth_getBalance',
      'eth_call',
      'eth_getBalance',
    ])
    expect(warnings).toEqual([])
  })

  it('is believed after several blocks, of old blocks only, and doubted later', async () => {
    const { observed, asked, warnings } = observer(lost)
    for (let block = 0; block < 8; block++) expect(await observed.observe(at(block))).toBeNull()
    expect(warnings).toHaveLength(1)
    asked.length = 0
    const pruned = 1_000_000 - 128
    for (let times = 0; times < 1_000; times++) await observed.observe(at(pruned))
    expect(asked).toHaveLength(0)
    await observed.observe(at(pruned))
    expect(asked).not.toHaveLength(0)
    asked.length = 0
    await observed.observe(at(pruned + 1))
    expect(asked).not.toHaveLength(0)
  })

  it('of one backend of two is asked of the other', async () => {
    let turn = 0
    /** Requests go to the backends in turn, and the first one is pruned. */
    const isPruned = () => turn % 2 === 0
    const backends = {
      contract: (_: RpcCall, at: number) => {
        if (at === 0) turn++
        return isPruned() ? no('missing trie node 12ab') : word(5)
      },
      node: () => (++turn % 2 === 0 ? no('missing trie node 12ab') : word(0)),
    }
    const { observed, warnings } = observer(backends)
    let whole = 0
    for (let block = 0; block < 300; block++) {
      const said = await observed.observe(at(block))
      if (said?.unanswered.length === 0) whole++
    }
    expect(whole).toBeGreaterThan(100)
    expect(warnings.filter((sentence) => sentence.includes('keeps no state'))).toEqual([])
  })
})

describe('a block that the node does not have by its hash', () => {
  it('is trouble, and given up the next time', async () => {
    const answers = { contract: () => no('header for hash not found'), node: () => no('unknown') }
    const { observed, warnings } = observer({ ...answers, hashes: [foreign] })
    await expect(observed.observe(question)).rejects.toMatchObject({ kind: 'half-answer' })
    expect(await observed.observe(question)).toBeNull()
    expect(warnings).toHaveLength(1)
    // The block that stands in its place has the same number.
    const other = hash(`0x${'3'.repeat(64)}`)
    await expect(observed.observe({ ...question, hash: other })).rejects.toThrow(other)
  })
})

describe('a node that takes no hashes', () => {
  const byNumber = ({ params }: RpcCall) =>
    typeof params[1] === 'string' ? word(5) : no('invalid argument 1: hex string expected', -32602)
  const noHashes = { contract: byNumber, node: byNumber }

  it('is asked by number, and after some blocks at once', async () => {
    const { observed, asked, warnings } = observer(noHashes)
    for (const block of [5, 6, 7]) {
      const supplies = [{ value: 5n }]
      expect(await observed.observe(at(block))).toMatchObject({ observation: { supplies } })
    }
    expect(warnings).toEqual([
      'the node does not accept block hashes: balances are queried by block number',
    ])
    asked.length = 0
    await observed.observe(question)
    expect(asked.map((calls) => calls[0]?.params[1])).toEqual(['0x7'])
  })

  it.each([
    ['before', [foreign]],
    ['meanwhile', [own, foreign]],
  ])('is not believed if the block was another %s', async (_, hashes) => {
    const { observed } = observer({ ...noHashes, hashes })
    await expect(observed.observe(question)).rejects.toThrow('does not know block 7 by its hash')
  })
})

it('asks for balances of ids and for owners of ids, and tells which answer is of what', async () => {
  const answers = new Map([
    [`0x00fdd58e${'a'.repeat(40).padStart(64, '0')}${'7'.padStart(64, '0')}`, word(9)],
    [`0x6352211e${'8'.padStart(64, '0')}`, { result: `0x${'b'.repeat(40).padStart(64, '0')}` }],
    // No address: nobody owns it as far as is told.
    [`0x6352211e${'9'.padStart(64, '0')}`, { result: `0x${'f'.repeat(64)}` }],
  ])
  const called = z.object({ data: z.string() })
  const { observed } = observer({
    contract: ({ params }) => answers.get(called.parse(params[0]).data) ?? no('reverted', 3),
  })
  const values = [
    { token: coin, holder: alice, tokenId: 7n },
    { token: coin, holder: null, tokenId: 8n },
    { token: coin, holder: null, tokenId: 9n },
    { token: coin, holder: null, tokenId: 10n },
  ]
  expect(await observed.observe({ ...question, values })).toMatchObject({
    observation: {
      balances: [{ token: coin, holder: alice, tokenId: 7n, value: 9n }],
      owners: [{ token: coin, tokenId: 8n, owner: bob }],
      supplies: [],
    },
    unanswered: [],
  })
})

it('lets a contract that never answers cost a bounded number of requests', async () => {
  const { observed, asked } = observer({ contract: () => no('internal error', -32603) })
  expect(await observed.observe(question)).toMatchObject({ unanswered: values, failed: [coin] })
  expect(asked).toHaveLength(4)
})
