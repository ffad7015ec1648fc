import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mainnetBlock } from '../../../test/support/mainnet-block.ts'
import { NodeOfValues } from '../../../test/support/node-of-values.ts'
import { address } from '../../chain/hex.ts'
import { SourceError } from '../../ports/chain-source.ts'
import { silentLog } from '../../signals/log.ts'
import { startMetrics } from '../../signals/metrics.ts'
import { counted } from '../../signals/testing/counted.ts'
import { undoBlocksMax } from '../../topics/acceptance.ts'
import { sourceOver } from './rpc-source.ts'
import { type RpcCall, rpcLimits } from './transport/rpc-transport.ts'

const number = 4_370_006
const limits = { ...rpcLimits, retriesMax: 1, retryMinMs: 0, retryMaxMs: 1 }
const nothing = { metadata: [], failed: [], cutOff: [] }
const tokens = Array.from({ length: 12 }, (_, at) =>
  address(`0x${'ab'.repeat(19)}${at.toString(16).padStart(2, '0')}`),
)
const [token = address(`0x${'0'.repeat(40)}`), other = token] = tokens
const six = `0x${'0'.repeat(63)}6`

async function started(changed: Partial<typeof limits> = {}) {
  const node = new NodeOfValues([[number, mainnetBlock(number)]])
  const metrics = startMetrics()
  const signals = { log: silentLog, metrics }
  const source = await sourceOver(node, { ...limits, ...changed }, signals)
  const unanswered = () => counted(metrics.nodeUnanswered)
  node.asked.length = 0
  return { node, source, unanswered }
}

const isOfContract = ([call]: readonly RpcCall[]) => call?.method === 'eth_call'
const toOf = ({ params: [call] }: RpcCall) =>
  typeof call === 'object' && call !== null && 'to' in call ? call.to : null
/** Answers all calls of contracts with the number six. */
const sixes = (calls: readonly RpcCall[], ids: readonly number[]) =>
  isOfContract(calls) ? ids.map((id) => ({ id, result: six })) : undefined

describe('token metadata', () => {
  it('is nothing for an address that answers nothing', async () => {
    const { source } = await started()
    expect(await source.tokens([token], number)).toEqual(nothing)
  })

  it('is asked with a bound of gas', async () => {
    const { node, source } = await started()
    const gas = new Set<unknown>()
    node.always = (calls, ids) => {
      for (const { params } of calls) gas.add(params[0])
      return sixes(calls, ids)
    }
    await source.tokens([token], number)
    const bounds = [...gas].map((it) => (typeof it === 'object' && it && 'gas' in it ? it.gas : 0))
    expect(new Set(bounds)).toEqual(new Set([`0x${(500_000).toString(16)}`]))
  })

  it.each<[string, () => Error | object]>([
    ['times out', () => new SourceError('timed-out', 'no whole answer')],
    ['ends the connection', () => new SourceError('unreachable', 'the connection was closed')],
    ['is answered by a proxy', () => new SourceError('unavailable', 'the node answers 502')],
    ['is answered with an error of the node', () => ({ error: { code: -32603, message: '' } })],
    ['is answered as too often', () => ({ error: { code: -32005, message: 'limit' } })],
  ])('is not lost with a contract beside it that %s', async (_, spoilt) => {
    const { node, source, unanswered } = await started()
    node.always = (calls, ids) => {
      const fault = spoilt()
      if (fault instanceof Error && calls.some((call) => toOf(call) === other)) throw fault
      return sixes(calls, ids)?.map((answer, at) => {
        const call = calls[at]
        return call && toOf(call) === other ? { id: ids[at], ...fault } : answer
      })
    }
    const { metadata, failed, cutOff } = await source.tokens(tokens, number)
    expect(metadata.map(({ address }) => address)).toEqual(tokens.filter((it) => it !== other))
    expect([failed, cutOff]).toEqual([[other], []])
    expect(await unanswered()).toMatchObject([
      { labels: { kind: 'token', reason: 'failed' }, value: 10 },
    ])
    // Two batches, whether the node is well, at most one for each token, and the one alone.
    expect(node.asked.length).toBeLessThanOrEqual(2 + 1 + tokens.length + 1)
  })

  it('is left out after the time limit, with a warning for the operator', async () => {
    const { node, source, unanswered } = await started({ callsTotalMs: 5 })
    node.always = (calls) => {
      if (isOfContract(calls)) throw new SourceError('timed-out', 'no whole answer')
      return undefined
    }
    node.delay = ({ signal }) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
    expect(await source.tokens([token], number)).toEqual({ ...nothing, cutOff: [token] })
    expect(await unanswered()).toMatchObject([
      { labels: { kind: 'token', reason: 'cut-off' }, value: 10 },
    ])
  })

  it('is no complaint about the node where the source is closed meanwhile', async () => {
    const { node, source, unanswered } = await started()
    node.delay = async ({ signal }) => {
      await source.close()
      signal?.throwIfAborted()
    }
    await source.tokens([token], number).catch(() => {})
    expect(await unanswered()).toEqual([])
  })

  it('is trouble while the node itself does not answer', async () => {
    const { node, source } = await started()
    node.always = () => {
      throw new SourceError('unreachable', 'connection refused')
    }
    await expect(source.tokens([token], number)).rejects.toMatchObject({ kind: 'unreachable' })
  })
})

const lost = { code: -32000, message: 'missing trie node 12ab' }
const stateMethods = ['eth_call', 'eth_getCode', 'eth_getBalance']

/** A node that has the state from a block on, and answers one method as given. */
async function withLost(from: number, method = '', reply: object = {}) {
  const { node, source } = await started()
  node.finalized = number - 80
  const tags: unknown[] = []
  node.always = (calls, ids) => {
    const [call] = calls
    if (call?.method === method) return ids.map((id) => ({ id, ...reply }))
    if (!call || !stateMethods.includes(call.method)) return undefined
    if (call.method === 'eth_call') tags.push(Number(call.params[1]))
    const isLost = Number(call.params[1]) < from
    return ids.map((id) => ({ id, ...(isLost ? { error: lost } : { result: six }) }))
  }
  return { node, source, tags }
}

describe('token metadata where the state is lost', () => {
  const newest = number

  it.each<[string, { finalized: number | null; asked: number }]>([
    ['the newest final block', { finalized: newest - 80, asked: newest - 80 }],
    ['one 64 deep, if the node takes all for final', { finalized: newest, asked: newest - 64 }],
    ['one 256 deep, if it knows no final one', { finalized: null, asked: newest - 256 }],
  ])('is returned with the supply as of %s', async (_, { finalized, asked }) => {
    const { node, source, tags } = await withLost(newest - 300)
    node.finalized = finalized
    const { metadata } = await source.tokens([token], 5)
    expect(metadata).toMatchObject([{ decimals: 6, totalSupply: 6n, block: asked }])
    expect(tags).toEqual([5, asked])
  })

  it.each<[string, { finalized: number | null; asked: number[] }]>([
    ['no final block is known', { finalized: null, asked: [newest - 256] }],
    ['the final block lies deeper', { finalized: newest - 200, asked: [newest - 200] }],
    ['the final block lies below the message', { finalized: 4, asked: [] }],
  ])('is returned without the supply as of the newest block where %s', async (_, parts) => {
    const { node, source, tags } = await withLost(newest - 128)
    node.finalized = parts.finalized
    const { metadata } = await source.tokens([token], 5)
    expect(metadata).toMatchObject([{ decimals: 6, totalSupply: null, block: newest }])
    expect(tags).toEqual([5, ...parts.asked, newest])
  })

  it.each([
    ['an error', { error: { code: -39001, message: 'Unknown block' } }],
    ['nonsense', { result: { number: 'many' } }],
  ])('is asked 256 deep where the final block is answered with %s', async (_, answer) => {
    const { source, tags } = await withLost(newest - 300, 'eth_getBlockByNumber', answer)
    await source.tokens([token], 5)
    expect(tags).toEqual([5, newest - 256])
  })

  it('holds no supply that a fork may take away, wherever blocks are final', async () => {
    const depth = fc.nat({ max: 400 })
    await fc.assert(
      fc.asyncProperty(depth, depth, fc.option(depth), async (block, kept, finalized) => {
        const { node, source } = await withLost(newest - kept)
        node.finalized = finalized === null ? null : newest - finalized
        const { metadata } = await source.tokens([token], newest - block)
        for (const { totalSupply, block: asOf } of metadata) {
          if (totalSupply === null || asOf === newest - block) continue
          expect(newest - asOf).toBeGreaterThanOrEqual(finalized ?? undoBlocksMax)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('is asked there at once after some blocks', async () => {
    const { source, tags } = await withLost(number - 128)
    for (let block = 1; block <= 8; block++) await source.tokens([token], block)
    tags.length = 0
    await source.tokens([token], 9)
    expect(tags).toEqual([newest - 80])
  })

  it.each([
    ['with an error', { error: { code: -32603, message: 'internal error' } }],
    ['with nonsense', { result: 'many' }],
    ['with nothing', { result: null }],
  ])('is trouble, and no fault, when the newest number is answered %s', async (_, reply) => {
    const { source } = await withLost(number, 'eth_blockNumber', reply)
    const failing = { name: 'SourceError', kind: 'wrong-answer' }
    const message = expect.stringContaining('eth_blockNumber: ')
    await expect(source.tokens([token], 5)).rejects.toMatchObject({ ...failing, message })
    await expect(source.codes([token], 5)).rejects.toMatchObject(failing)
  })

  it('is asked again of a node that lags behind the block', async () => {
    const { source } = await withLost(number, 'eth_blockNumber', { result: '0x4' })
    const failing = { kind: 'half-answer', message: 'the node is at block 4, behind block 5' }
    await expect(source.tokens([token], 5)).rejects.toMatchObject(failing)
  })

  it('is asked again of a node that denies its own newest block', async () => {
    const { source } = await withLost(number + 1)
    const message = `the node has no state of block ${number}, its newest`
    await expect(source.tokens([token], 5)).rejects.toMatchObject({ kind: 'half-answer', message })
  })

  it('is believed of no block because of what a contract answers', async () => {
    const { node, source } = await started()
    const tags = new Set<unknown>()
    node.always = (calls, ids) => {
      if (!isOfContract(calls)) return undefined
      for (const { params } of calls) tags.add(params[1])
      return ids.map((id) => ({ id, error: lost }))
    }
    for (let block = 1; block <= 20; block++) await source.tokens([token], block)
    expect(tags).toEqual(
      new Set(Array.from({ length: 20 }, (_, at) => `0x${(at + 1).toString(16)}`)),
    )
  })
})
