import { describe, expect, it } from 'vitest'
import { type BlockFile, mainnetBlock } from '../../../test/support/mainnet-block.ts'
import { lacking, NodeOfValues } from '../../../test/support/node-of-values.ts'
import { plannedChain, plannedFiles } from '../../../test/support/planned-files.ts'
import type { Block } from '../../chain/block.ts'
import { SourceError } from '../../ports/chain-source.ts'
import { person } from '../../projections/testing/facts.ts'
import { silentLog } from '../../signals/log.ts'
import { startMetrics } from '../../signals/metrics.ts'
import { rpcSource, sourceOver } from './rpc-source.ts'
import { BatchRefused, ResponseTooLarge, rpcLimits } from './transport/rpc-transport.ts'

const number = 4_370_006
const limits = { ...rpcLimits, retriesMax: 2, retryMinMs: 0, retryMaxMs: 1 }
const noMethod = { code: -32601, message: 'the method does not exist' }

/** Each of three transactions. */
const fiveBlocks = plannedChain(
  Array.from({ length: 5 }, () => {
    const call = { from: person(1), to: person(2), value: 0n, input: '0x' as const, logs: [] }
    return [call, call, call]
  }),
)
const isOfReceipt = (receipt: object | undefined, hash: unknown): boolean =>
  receipt !== undefined && 'transactionHash' in receipt && receipt.transactionHash === hash

async function started() {
  const parts = await startedOn([[number, mainnetBlock(number)]])
  return { ...parts, whole: await parts.source.block(number) }
}

async function startedOn(files: readonly (readonly [number, BlockFile])[]) {
  const node = new NodeOfValues(files)
  const warnings: string[] = []
  const log = { ...silentLog, warn: (_: unknown, sentence: string) => void warnings.push(sentence) }
  const metrics = startMetrics()
  const source = await sourceOver(node, limits, { log, metrics })
  const retries = async () => (await metrics.nodeRetries.get()).values
  return { node, source, warnings, retries }
}

describe('a block asked of a node', () => {
  it('comes with its receipts in one request', async () => {
    const { node, whole } = await started()
    expect(whole?.transactions).toHaveLength(64)
    expect(node.asked[1]).toEqual(['eth_getBlockByNumber', 'eth_getBlockReceipts'])
  })

  it('is null if the node has none of that number', async () => {
    const { source } = await started()
    expect(await source.block(5)).toBeNull()
    expect(await source.nextNumber(number + 1)).toBeNull()
    expect(await source.nextNumber(5)).toBe(5)
  })

  it('is requested again when the node limits the rate', async () => {
    const { node, source, whole, warnings } = await started()
    node.spoils.push((_, ids) => ({ id: ids[0], error: { code: -32005, message: 'slow down' } }))
    expect(await source.block(number)).toEqual(whole)
    expect(warnings).toEqual([
      'eth_getBlockByNumber to the node failed: the node limits requests: slow down',
    ])
  })

  it('is asked for again after a time-out, and counted', async () => {
    const { node, source, whole, warnings, retries } = await started()
    node.spoils.push(() => {
      throw new SourceError('timed-out', 'no whole answer within 20000 ms')
    })
    expect(await source.block(number)).toEqual(whole)
    expect(warnings).toHaveLength(1)
    expect(await retries()).toMatchObject([{ labels: { reason: 'timed-out' }, value: 1 }])
  })

  it('is asked for again when half of a batch is answered', async () => {
    const { node, source, whole } = await started()
    node.spoils.push((calls, ids) => node.answers(calls, ids).slice(0, 1))
    expect(await source.block(number)).toEqual(whole)
  })

  it('is asked for in smaller requests after a time-out', async () => {
    const { node, source, whole } = await started()
    node.always = (calls) => {
      if (calls.length > 1) throw new SourceError('timed-out', 'no whole answer')
      return undefined
    }
    expect(await source.block(number)).toEqual(whole)
  })

  it('is asked for in smaller requests after an answer that is too large', async () => {
    const { node, source, whole, warnings } = await started()
    node.always = (calls) => {
      if (calls.length > 1) throw new ResponseTooLarge(1)
      return undefined
    }
    expect(await source.block(number)).toEqual(whole)
    expect(warnings).toEqual([])
    node.always = () => {
      throw new ResponseTooLarge(1)
    }
    const asked = node.asked.length
    await expect(source.block(number)).rejects.toMatchObject({ kind: 'wrong-answer' })
    expect(node.asked.length - asked).toBeLessThan(5)
  })

  it('is given up for now when the node never answers in time, after the bound of tries', async () => {
    const { node, source } = await started()
    node.asked.length = 0
    node.always = () => {
      throw new SourceError('timed-out', 'no whole answer')
    }
    await expect(source.block(number)).rejects.toMatchObject({ kind: 'timed-out' })
    expect(node.asked).toHaveLength(1 + limits.retriesMax)
  })

  it('is given up for now when the node does not stop failing', async () => {
    const { node, source, retries, warnings } = await started()
    const count = node.asked.length
    node.always = () => []
    await expect(source.block(number)).rejects.toMatchObject({ kind: 'half-answer' })
    // One batch, and its first half as often as tries are left.
    expect(node.asked).toHaveLength(count + limits.retriesMax + 1)
    expect(await retries()).toMatchObject([{ value: limits.retriesMax }])
    // Of the batch and of its half; the caller reports the end.
    expect(warnings).toHaveLength(2)
  })

  it('is refused with a wrong hash', async () => {
    const { node, source } = await started()
    const file = mainnetBlock(number)
    file.block.gasUsed = '0x1'
    node.files.set(number, file)
    await expect(source.block(number)).rejects.toMatchObject({
      kind: 'wrong-answer',
      message: expect.stringContaining(`block ${number}: hash`),
    })
  })

  it('is refused with a header that is malformed where only its hash looks', async () => {
    const { node, source } = await started()
    const { block, receipts } = mainnetBlock(number)
    node.files.set(number, { block: { ...block, sha3Uncles: 5 }, receipts })
    const message = expect.stringContaining(`block ${number}: `)
    await expect(source.block(number)).rejects.toMatchObject({ kind: 'wrong-answer', message })
  })

  it('is trouble when the head is answered with an error', async () => {
    const { node, source } = await started()
    node.always = lacking(node, 'eth_getBlockByNumber', { code: -32603, message: 'internal' })
    const message = 'eth_getBlockByNumber: internal (-32603)'
    for (const asked of [source.head(), source.hash(5), source.block(5)]) {
      await expect(asked).rejects.toMatchObject({ kind: 'wrong-answer', message })
    }
  })

  it('is refused if the node answers with another block', async () => {
    const { node, source } = await started()
    node.files.set(7, mainnetBlock(number))
    await expect(source.block(7)).rejects.toThrow('block 7: number is 4370006')
  })

  it('is refused with the receipts of the fork that came in between', async () => {
    const { node, source } = await started()
    const file = mainnetBlock(number)
    for (const receipt of file.receipts) receipt.blockHash = `0x${'12'.repeat(32)}`
    node.files.set(number, file)
    await expect(source.block(number)).rejects.toThrow('receipts[0].blockHash')
  })

  it('is not whole while the node has no receipts for it', async () => {
    const { node, source } = await started()
    node.always = (calls, ids) =>
      node
        .answers(calls, ids)
        .map((answer, at) => (at === 1 ? { id: ids[at], result: null } : answer))
    await expect(source.block(number)).rejects.toThrow(
      `block ${number} came without the receipt of transaction 1`,
    )
  })

  it.each([
    ['has no other way', noMethod],
    ['says so in words of its own', { code: -32000, message: 'not whitelisted' }],
  ])('gets its receipts one by one from a node that %s', async (_, error) => {
    const { node, source, warnings } = await startedOn(plannedFiles(fiveBlocks))
    const wholes = await Promise.all(fiveBlocks.map((block) => source.block(block.number)))
    node.always = lacking(node, 'eth_getBlockReceipts', error)
    node.asked.length = 0
    for (const [number, whole] of wholes.entries()) {
      expect(await source.block(number)).toEqual(whole)
    }
    // Asked for each of the first blocks, and then no more.
    expect(node.asked.flat().filter((it) => it === 'eth_getBlockReceipts')).toHaveLength(3)
    expect(warnings).toEqual([
      'the node has no eth_getBlockReceipts: receipts are fetched one by one',
    ])
  })

  it('is not whole while one of those receipts is missing', async () => {
    const { node, source } = await started()
    node.always = lacking(node, 'eth_getBlockReceipts', noMethod)
    node.files.get(number)?.receipts.splice(5, 1)
    await expect(source.block(number)).rejects.toThrow('without the receipt of transaction 5')
  })

  it('is asked in smaller batches when the node refuses large ones', async () => {
    const { node, source, whole } = await started()
    node.always = (calls, ids) => {
      if (calls.length > 10) throw new BatchRefused('too large')
      return lacking(node, 'eth_getBlockReceipts', noMethod)(calls, ids)
    }
    expect(await source.block(number)).toEqual(whole)
    expect(await source.block(number)).toEqual(whole)
    const last = node.asked.slice(-8).map((methods) => methods.length)
    expect(Math.max(...last)).toBeLessThanOrEqual(10)
  })
})

describe('the reason of a failure', () => {
  const failing = () =>
    plannedFiles(fiveBlocks).map(([number, file]): readonly [number, BlockFile] => {
      const receipts = file.receipts.map((receipt) => ({ ...receipt, status: '0x0' }))
      return [number, { ...file, receipts }]
    })
  const traces = (node: NodeOfValues) =>
    node.asked.filter(([method]) => method === 'debug_traceTransaction')
  const reasonsOf = (block: Block | null) => block?.transactions.map(({ error }) => error)

  it('is taken from a trace', async () => {
    const { node, source } = await startedOn(failing())
    node.always = (calls, ids) =>
      calls[0]?.method === 'debug_traceTransaction'
        ? ids.map((id) => ({ id, result: { output: '0x08C379A0', error: 'execution reverted' } }))
        : undefined
    const { transactions = [] } = (await source.block(0)) ?? {}
    expect(transactions).toHaveLength(3)
    for (const { revertReason, error } of transactions) {
      expect([revertReason, error]).toEqual(['0x08c379a0', 'execution reverted'])
    }
  })

  it('is null on a node without traces, which is not asked after some blocks', async () => {
    const { node, source, warnings } = await startedOn(failing())
    for (let number = 0; number < 5; number++) {
      expect(reasonsOf(await source.block(number))).toEqual([null, null, null])
    }
    expect(traces(node)).toHaveLength(3)
    expect(warnings).toHaveLength(1)
  })

  it('is left out where its trace does not come, and the others are not', async () => {
    const { node, source, warnings } = await startedOn(failing())
    const evil = fiveBlocks[0]?.receipts[1]
    node.always = (calls, ids) => {
      if (calls[0]?.method !== 'debug_traceTransaction') return undefined
      const isEvil = (hash: unknown) => isOfReceipt(evil, hash)
      if (calls.some(({ params }) => isEvil(params[0]))) throw new ResponseTooLarge(1)
      return ids.map((id) => ({ id, result: { output: '0x', error: 'execution reverted' } }))
    }
    const reverted = 'execution reverted'
    expect(reasonsOf(await source.block(0))).toEqual([reverted, null, reverted])
    expect(warnings).toEqual([])
  })

  it('holds up no block although the node fails at each trace', async () => {
    const { node, source } = await startedOn(failing())
    node.always = (calls) => {
      const isAway = traces(node).length > 0 && calls[0]?.method === 'eth_blockNumber'
      if (!isAway && calls[0]?.method !== 'debug_traceTransaction') return undefined
      throw new SourceError('unreachable', 'the connection was closed')
    }
    for (let times = 0; times < 3; times++) {
      await expect(source.block(0)).rejects.toMatchObject({ kind: 'unreachable' })
    }
    expect((await source.block(0))?.number).toBe(0)
  })
})

describe('an address of a node', () => {
  it.each(['nonsense', 'ftp://127.0.0.1'])('%s is refused', async (url) => {
    await expect(rpcSource({ url })).rejects.toThrow(/not a URL|not by ftp:/)
  })
})
