import { describe, expect, it } from 'vitest'
import { mainnetBlock } from '../../../test/support/mainnet-block.ts'
import { lacking, NodeOfValues, type Spoil } from '../../../test/support/node-of-values.ts'
import { plannedChain, plannedFiles } from '../../../test/support/planned-files.ts'
import { stateSyncBlock } from '../../../test/support/state-sync-block.ts'
import { address } from '../../chain/hex.ts'
import { person } from '../../projections/testing/facts.ts'
import { silentLog } from '../../signals/log.ts'
import { startMetrics } from '../../signals/metrics.ts'
import { counted } from '../../signals/testing/counted.ts'
import { sourceOver } from './rpc-source.ts'
import { rpcLimits } from './transport/rpc-transport.ts'

const limits = { ...rpcLimits, retriesMax: 2, retryMinMs: 0, retryMaxMs: 1 }
const number = 4_370_006
const receiptsMethod = 'eth_getBlockReceipts'

const nodeOf = (numbers: readonly number[]) =>
  new NodeOfValues(numbers.map((each) => [each, mainnetBlock(each)]))

async function sourceOf(node: NodeOfValues) {
  const warnings: string[] = []
  const log = { ...silentLog, warn: (_: unknown, sentence: string) => void warnings.push(sentence) }
  const metrics = startMetrics()
  const source = await sourceOver(node, limits, { log, metrics })
  node.asked.length = 0
  const wrong = () => counted(metrics.nodeWrongAnswers)
  return { source, warnings, wrong }
}

/** Changes the results of one method. */
const changing =
  (node: NodeOfValues, method: string, change: (result: unknown) => unknown): Spoil =>
  (calls, ids) =>
    node.answers(calls, ids).map((answer, at) => {
      if (calls[at]?.method !== method || !('result' in answer)) return answer
      return { id: ids[at], result: change(answer.result) }
    })
const list = (result: unknown): object[] => (Array.isArray(result) ? result : [])

const askedFor = (node: NodeOfValues, method: string) =>
  node.asked.flat().filter((it) => it === method).length

describe('receipts of a block that contradict it are asked for one by one (decision 71)', () => {
  it.each<[string, (result: unknown) => unknown]>([
    ['none', () => []],
    ['null', () => null],
    ['too few', (result) => list(result).slice(1)],
    ['too many', (result) => [...list(result), ...list(result)]],
    ['in another order', (result) => list(result).toReversed()],
    ['of another block', (result) => list(result).map((it) => ({ ...it, blockHash: hash('12') }))],
    ['of other transactions', (r) => list(r).map((it) => ({ ...it, transactionHash: hash('34') }))],
    ['without logs', (result) => list(result).map((it) => ({ ...it, logs: [] }))],
    ['malformed', (result) => list(result).map(() => 'receipt')],
    ['no list', () => ({})],
  ])('%s', async (_, change) => {
    const node = nodeOf([number])
    const whole = await (await sourceOf(node)).source.block(number)
    node.always = changing(node, receiptsMethod, change)
    const { source, warnings, wrong } = await sourceOf(node)
    expect(await source.block(number)).toEqual(whole)
    expect(askedFor(node, receiptsMethod)).toBe(1)
    expect(askedFor(node, 'eth_getTransactionReceipt')).toBe(64)
    expect(warnings).toEqual([expect.stringContaining('its receipts were fetched one by one')])
    expect(await wrong()).toMatchObject([{ labels: { method: receiptsMethod }, value: 1 }])
  })

  it('and the method is left after three such blocks in a row', async () => {
    const call = { from: person(1), to: person(2), value: 0n, input: '0x' as const, logs: [] }
    const chain = plannedChain(Array.from({ length: 6 }, () => [call]))
    const node = new NodeOfValues(plannedFiles(chain))
    node.always = changing(node, receiptsMethod, () => [])
    const { source, warnings } = await sourceOf(node)
    for (const block of chain) expect((await source.block(block.number))?.hash).toBe(block.hash)
    expect(askedFor(node, receiptsMethod)).toBe(3)
    expect(warnings.at(-1)).toContain('several blocks: receipts are fetched one by one')
  })

  it('but the block stays refused where those contradict it too, each time alike', async () => {
    const node = nodeOf([number])
    const spoilt = mainnetBlock(number)
    for (const receipt of spoilt.receipts) receipt.status = '0x0'
    node.files.set(number, spoilt)
    const { source } = await sourceOf(node)
    const refusals = await Promise.all(
      [1, 2].map(() => source.block(number).catch((cause: unknown) => cause)),
    )
    const { hash: own } = mainnetBlock(number).block
    const contradiction = expect.stringContaining(`${own}: block ${number}: receiptsRoot`)
    expect(refusals[0]).toMatchObject({ kind: 'wrong-answer', contradiction })
    expect(refusals[1]).toEqual(refusals[0])
  })

  it('and no contradiction where the node has none of them yet', async () => {
    const node = nodeOf([number])
    const { source } = await sourceOf(node)
    node.always = (calls, ids) =>
      node
        .answers(calls, ids)
        .map((answer, at) =>
          calls[at]?.method === 'eth_getBlockByNumber' ? answer : { id: ids[at], result: null },
        )
    const refusal = source.block(number)
    await expect(refusal).rejects.toMatchObject({ kind: 'half-answer', contradiction: null })
  })

  it('so that a state sync comes whose receipt only the single answer has', async () => {
    const node = new NodeOfValues([[number, stateSyncBlock(number)]])
    node.always = changing(node, receiptsMethod, (result) => list(result).slice(0, -1))
    const { source } = await sourceOf(node)
    expect((await source.block(number))?.transactions).toHaveLength(65)
  })

  it('and a state sync without any receipt is a contradiction: its logs are not invented', async () => {
    const node = new NodeOfValues([[number, stateSyncBlock(number)]])
    node.files.get(number)?.receipts.pop()
    const { source } = await sourceOf(node)
    const contradiction = expect.stringContaining('that of the state sync is missing')
    await expect(source.block(number)).rejects.toMatchObject({ kind: 'half-answer', contradiction })
  })
})

const hash = (byte: string) => `0x${byte.repeat(32)}`

describe('a batch that is answered wrongly is asked in smaller ones', () => {
  it.each<[string, (answers: object[]) => object[]]>([
    ['with a part', (answers) => answers.slice(0, 8)],
    ['with the first only', (answers) => answers.slice(0, 1)],
    ['with one twice', ([first, ...rest]) => (first ? [first, first, ...rest] : [])],
    ['with ids of its own', (answers) => answers.map((it, at) => ({ ...it, id: 1_000_000 + at }))],
  ])('%s', async (_, spoilt) => {
    const node = nodeOf([number])
    const whole = await (await sourceOf(node)).source.block(number)
    const noMethod = { code: -32601, message: 'no such method' }
    const behaved = lacking(node, receiptsMethod, noMethod)
    node.always = (calls, ids) => {
      const answers = behaved(calls, ids)
      return calls.length > 8 && Array.isArray(answers) ? spoilt(answers) : answers
    }
    const { source } = await sourceOf(node)
    expect(await source.block(number)).toEqual(whole)
  })

  it('and text for the ids of numbers is refused, by name', async () => {
    const node = nodeOf([number])
    node.always = (calls, ids) =>
      node.answers(calls, ids).map((it, at) => ({ ...it, id: `${ids[at]}` }))
    await expect(sourceOf(node)).rejects.toThrow(
      /under the id "\d+", a text: JSON-RPC 2.0 requires/,
    )
  })
})

const contracts = [1, 2, 3].map((at) => address(`0x${`${at}`.padStart(40, 'c')}`))

describe('answers about contracts that no contract can give', () => {
  /** Right only alone. */
  const ofBatch =
    (method: string, right: string): Spoil =>
    (calls, ids) => {
      if (calls[0]?.method !== method) return undefined
      return calls.map((_, at) => ({ id: ids[at], result: calls.length > 1 ? null : right }))
    }

  it('code: are asked for alone', async () => {
    const node = nodeOf([number])
    node.always = ofBatch('eth_getCode', '0x6000')
    const { source } = await sourceOf(node)
    const codes = await source.codes(contracts, number)
    expect([...codes.values()]).toEqual(['own', 'own', 'own'])
  })

  it('balances: are asked for alone', async () => {
    const node = nodeOf([number])
    const word = `0x${'0'.repeat(63)}7`
    node.always = ofBatch('eth_call', word)
    const { source } = await sourceOf(node)
    const { hash: own = null } = (await source.block(number)) ?? {}
    if (own === null) throw new Error('no block')
    const values = contracts.map((token) => ({ token, holder: person(1), tokenId: null }))
    const seen = await source.observe({ block: number, hash: own, values })
    expect(seen?.observation.balances.map(({ value }) => value)).toEqual([7n, 7n, 7n])
  })

  it('balances: are asked for by number where the node has no answer by hash', async () => {
    const node = nodeOf([number])
    const word = `0x${'0'.repeat(63)}7`
    node.always = (calls, ids) =>
      calls[0]?.method === 'eth_call'
        ? calls.map(({ params }, at) => ({
            id: ids[at],
            result: typeof params[1] === 'string' ? word : null,
          }))
        : undefined
    const { source } = await sourceOf(node)
    const { hash: own = null } = (await source.block(number)) ?? {}
    if (own === null) throw new Error('no block')
    const values = contracts.map((token) => ({ token, holder: person(1), tokenId: null }))
    const seen = await source.observe({ block: number, hash: own, values })
    expect(seen?.observation.balances.map(({ value }) => value)).toEqual([7n, 7n, 7n])
  })
})
