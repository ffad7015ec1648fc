import { describe, expect, it } from 'vitest'
import { mainnetBlock } from '../../../test/support/mainnet-block.ts'
import { lacking, NodeOfValues } from '../../../test/support/node-of-values.ts'
import { address } from '../../chain/hex.ts'
import { SourceTrouble } from '../../ports/node.ts'
import { silentLog } from '../../signals/log.ts'
import { startMetrics } from '../../signals/metrics.ts'
import { rpcLimits } from './rpc-limits.ts'
import { rpcSource, sourceOver } from './rpc-source.ts'
import { BatchRefused } from './rpc-transport.ts'

const number = 4_370_006
const limits = { ...rpcLimits, retriesMax: 2, retryMinMs: 0, retryMaxMs: 1 }
const noMethod = { code: -32601, message: 'the method does not exist' }

async function started() {
  const node = new NodeOfValues([[number, mainnetBlock(number)]])
  const warnings: string[] = []
  const log = { ...silentLog, warn: (_: unknown, sentence: string) => void warnings.push(sentence) }
  const metrics = startMetrics()
  const source = await sourceOver(node, limits, { log, metrics })
  const whole = await source.block(number)
  const retries = async () => (await metrics.nodeRetries.get()).values
  return { node, source, whole, warnings, retries }
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

  it('is asked for again when the node says "too often"', async () => {
    const { node, source, whole, warnings } = await started()
    node.spoils.push((_, ids) => ({ id: ids[0], error: { code: -32005, message: 'slow down' } }))
    expect(await source.block(number)).toEqual(whole)
    expect(warnings).toEqual(['eth_getBlockByNumber to the node failed: the node says: slow down'])
  })

  it('is asked for again after a time-out, and counted', async () => {
    const { node, source, whole, warnings, retries } = await started()
    node.spoils.push(() => {
      throw new SourceTrouble('timed-out', 'no whole answer within 20000 ms')
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

  it('is given up for now when the node does not stop failing', async () => {
    const { node, source, retries } = await started()
    const count = node.asked.length
    node.always = (calls, ids) => node.answers(calls, ids).slice(0, 1)
    await expect(source.block(number)).rejects.toMatchObject({ kind: 'half-answer' })
    expect(node.asked).toHaveLength(count + 1 + limits.retriesMax)
    expect(await retries()).toMatchObject([{ value: limits.retriesMax }])
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
    await expect(source.block(number)).rejects.toThrow(`block ${number} came without receipts`)
  })

  it('gets its receipts one by one from a node that has no other way, asked once', async () => {
    const { node, source, whole, warnings } = await started()
    node.always = lacking(node, 'eth_getBlockReceipts', noMethod)
    expect(await source.block(number)).toEqual(whole)
    expect(await source.block(number)).toEqual(whole)
    expect(node.asked.flat().filter((it) => it === 'eth_getBlockReceipts')).toHaveLength(2)
    expect(warnings).toHaveLength(1)
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
  const failed = 11_098_450

  it('is taken from a trace', async () => {
    const { node, source } = await started()
    node.files.set(failed, mainnetBlock(failed))
    node.always = (calls, ids) =>
      calls[0]?.method === 'debug_traceTransaction'
        ? ids.map((id) => ({ id, result: { output: '0x08C379A0', error: 'execution reverted' } }))
        : undefined
    const block = await source.block(failed)
    const reasons = block?.transactions.filter(({ status }) => status === 0)
    expect(reasons?.length).toBeGreaterThan(0)
    for (const { revertReason, error } of reasons ?? []) {
      expect([revertReason, error]).toEqual(['0x08c379a0', 'execution reverted'])
    }
  })

  it('is null on a node without traces, which is asked once', async () => {
    const { node, source, warnings } = await started()
    node.files.set(failed, mainnetBlock(failed))
    const block = await source.block(failed)
    await source.block(failed)
    expect(block?.transactions.some(({ error }) => error !== null)).toBe(false)
    expect(warnings).toHaveLength(1)
    const requests = node.asked.filter(([method]) => method === 'debug_traceTransaction')
    expect(requests).toHaveLength(1)
  })
})

describe('what tokens say', () => {
  const token = address(`0x${'ab'.repeat(20)}`)
  const answer = `0x${'0'.repeat(63)}6`

  it('is nothing for an address that answers nothing', async () => {
    const { source } = await started()
    expect(await source.tokens([token], number)).toEqual([])
  })

  it('is asked at the newest block of a node that keeps no old state, known from then on', async () => {
    const { node, source } = await started()
    const tags: unknown[] = []
    node.always = (calls, ids) => {
      if (calls[0]?.method !== 'eth_call') return undefined
      tags.push(calls[0].params[1])
      return ids.map((id) =>
        calls[0]?.params[1] === '0x5'
          ? { id, error: { code: -32000, message: 'missing trie node 12ab' } }
          : { id, result: answer },
      )
    }
    expect(await source.tokens([token], 5)).toMatchObject([{ decimals: 6, block: number }])
    await source.tokens([token], 4)
    const newest = `0x${number.toString(16)}`
    expect(tags).toEqual(['0x5', newest, newest])
  })

  const lost = { code: -32000, message: 'header not found' }
  const stateMethods = ['eth_call', 'eth_getCode']

  /** A node that has lost block 5, and answers other methods as told. */
  async function withLost(method: string, said: object) {
    const { node, source } = await started()
    node.always = (calls, ids) => {
      if (calls[0]?.method === method) return ids.map((id) => ({ id, ...said }))
      const isOfState = calls.some((call) => stateMethods.includes(call.method))
      return isOfState ? ids.map((id) => ({ id, error: lost })) : undefined
    }
    return { node, source }
  }

  it.each([
    ['with an error', { error: { code: -32603, message: 'internal error' } }],
    ['with nonsense', { result: 'many' }],
    ['with nothing', { result: null }],
  ])('is trouble, and no fault, when the newest number is answered %s', async (_, said) => {
    const { source } = await withLost('eth_blockNumber', said)
    const failing = { name: 'SourceTrouble', kind: 'wrong-answer' }
    const message = expect.stringContaining('eth_blockNumber: ')
    await expect(source.tokens([token], 5)).rejects.toMatchObject({ ...failing, message })
    await expect(source.codes([token], 5)).rejects.toMatchObject(failing)
  })

  it('is asked again of a node that lags behind the block, which is then not lost', async () => {
    const { node, source } = await withLost('eth_blockNumber', { result: '0x4' })
    const failing = { kind: 'half-answer', message: 'the node is at block 4, behind block 5' }
    await expect(source.tokens([token], 5)).rejects.toMatchObject(failing)
    const tags: unknown[] = []
    node.always = (calls, ids) => {
      if (calls[0]?.method !== 'eth_call') return undefined
      tags.push(calls[0].params[1])
      return ids.map((id) => ({ id, result: answer }))
    }
    expect(await source.tokens([token], 5)).toMatchObject([{ decimals: 6, block: 5 }])
    expect(tags).toEqual(['0x5'])
  })

  it('is asked again of a node that denies its own newest block', async () => {
    const { source } = await withLost('eth_none', {})
    const message = `the node does not know block ${number}, its newest`
    await expect(source.tokens([token], 5)).rejects.toMatchObject({ kind: 'half-answer', message })
  })
})

describe('an address of a node', () => {
  it.each(['nonsense', 'ftp://127.0.0.1'])('%s is refused', async (url) => {
    await expect(rpcSource({ url })).rejects.toThrow(/not a URL|not by ftp:/)
  })
})
