import { expect, test } from 'vitest'
import { address, hash, hex } from '../../chain/hex.ts'
import { SourceError } from '../../ports/chain-source.ts'
import { silentLog } from '../../signals/log.ts'
import { readerOver } from './node-reader.ts'
import { type RpcCall, type RpcResponse, rpcLimits } from './transport/rpc-transport.ts'

const coin = address(`0x${'c'.repeat(40)}`)
const own = hash(`0x${'1'.repeat(64)}`)
const foreign = hash(`0x${'2'.repeat(64)}`)
const word = (value: number): RpcResponse => ({ result: `0x${`${value}`.padStart(64, '0')}` })
const no = (message: string, code = -32000): RpcResponse => ({ error: { code, message } })
const header = { number: '0x7', hash: own, parentHash: foreign, timestamp: '0x1' }
const calls = [1, 2, 3].map((at) => ({ to: coin, data: hex(`0x0${at}`) }))

type Answer = (call: RpcCall) => RpcResponse | undefined

/** A node that answers so, and otherwise as one that has all. */
async function reader(answer: Answer) {
  const asked: RpcCall[] = []
  const transport = {
    async send(batch: readonly RpcCall[]) {
      asked.push(...batch)
      return batch.map((call) => answer(call) ?? usual(call))
    },
    close() {},
  }
  const limits = { ...rpcLimits, retriesMax: 0, retryMinMs: 0 }
  return { node: await readerOver(transport, limits, silentLog), asked }
}

function usual({ method }: RpcCall): RpcResponse {
  if (method === 'eth_getBlockByNumber') return { result: header }
  return method === 'eth_call' ? word(5) : { result: '0x1' }
}

const atOf = ({ params }: RpcCall): unknown => params[1]
const askedOf = (asked: readonly RpcCall[]) => asked.filter(({ method }) => method === 'eth_call')

test('contracts are asked by the hash of the block', async () => {
  const { node, asked } = await reader(() => undefined)
  expect(await node.answers({ number: 7, hash: own }, calls)).toEqual(
    calls.map(() => ({ returned: `0x${'5'.padStart(64, '0')}` })),
  )
  expect(askedOf(asked).map(atOf)).toEqual(calls.map(() => ({ blockHash: own })))
})

test('what fails in a contract has reverted, and what fails in the node is not answered', async () => {
  const { node } = await reader(({ method, params: [call] }) => {
    if (method !== 'eth_call') return undefined
    const text = JSON.stringify(call)
    if (text.includes('0x02')) return no('execution reverted', 3)
    return text.includes('0x03') ? no('busy') : undefined
  })
  const [first, ...others] = (await node.answers({ number: 7, hash: own }, calls)) ?? []
  expect([typeof first, ...others]).toEqual(['object', 'reverted', 'unanswered'])
})

const withoutHashes: Answer = ({ method, params }) =>
  method !== 'eth_getBlockByNumber' && typeof params[1] === 'object'
    ? no('invalid block', -32602)
    : undefined

test('a node without block hashes is asked by number, where its block is that one', async () => {
  const { node, asked } = await reader(withoutHashes)
  expect(await node.answers({ number: 7, hash: own }, calls)).toHaveLength(3)
  expect(askedOf(asked).map(atOf)).toEqual(['0x7', '0x7', '0x7'])
  expect(await node.answers({ number: 7, hash: foreign }, calls)).toBeNull()
})

test('a block that was replaced meanwhile has no answers', async () => {
  let looks = 0
  const { node } = await reader((call) => {
    if (call.method !== 'eth_getBlockByNumber') return withoutHashes(call)
    return looks++ === 0 ? undefined : { result: { ...header, hash: foreign } }
  })
  expect(await node.answers({ number: 7, hash: own }, calls)).toBeNull()
})

test('a state that the node has lost has no answers', async () => {
  const { node } = await reader(({ method }) =>
    method === 'eth_call' || method === 'eth_getBalance' ? no('missing trie node') : undefined,
  )
  expect(await node.answers({ number: 7, hash: own }, calls)).toBeNull()
})

test('receipts that are not those of the block are refused', async () => {
  const { node } = await reader(({ method }) => {
    if (method === 'eth_getBlockByNumber') return { result: { ...header, transactions: [] } }
    return method === 'eth_getBlockReceipts' ? { result: [] } : undefined
  })
  await expect(node.block(7)).rejects.toThrow('block 7: ')
})

test('a question that is cut short by our own end is no failure of the node', async () => {
  const warned: unknown[] = []
  let fail = () => {}
  const transport = {
    async send(batch: readonly RpcCall[]) {
      if (batch[0]?.method !== 'eth_blockNumber') return batch.map(usual)
      return new Promise<RpcResponse[]>((_, reject) => {
        fail = () => reject(new SourceError('unreachable', 'aborted'))
      })
    },
    close: () => fail(),
  }
  const log = { ...silentLog, warn: (fields: unknown) => void warned.push(fields) }
  const node = await readerOver(transport, { ...rpcLimits, retriesMax: 2 }, log)
  const asked = node.head()
  await Promise.resolve()
  node.close()
  await expect(asked).rejects.toThrow(SourceError)
  expect(warned).toEqual([])
})
