import { createServer, type IncomingMessage } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import { bloomOf, receiptsRoot } from '../../libs/adapters/rpc/blocks/receipts-root.ts'
import { zeroAddress, zeroHash } from '../../libs/chain/hex.ts'
import { generatedChainId } from '../generated-chain.ts'
import { headOf, quantity, servedBlockOf } from '../served-block.ts'
import { peerChain } from './peer-chain.ts'

/**
 * A node that serves the peer chain over HTTP and WebSocket: `node-process.ts SHAPE-AS-JSON HEAD`.
 * Forked, it sends its port; a message with a number publishes all blocks up to that one.
 */

/** Texts of JSON, so that they are made once. */
interface PeerBlock {
  readonly hash: string
  /** Without transactions. */
  readonly head: string
  readonly block: string
  readonly receipts: string
  readonly logs: string
}

const call = z.object({
  id: z.union([z.number(), z.string()]),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
})
const calls = z.union([call, z.array(call)])
const logRange = z.union([
  z.object({ blockHash: z.string() }),
  z.object({ fromBlock: z.string(), toBlock: z.string() }),
])

const [shape = '', firstHead = ''] = process.argv.slice(2)
let head = Number(firstHead)
const blocks = [genesis(), ...[...peerChain(JSON.parse(shape))].map(peerBlockOf)]
const numbers = new Map(blocks.map(({ hash }, number) => [hash, number]))

function genesis(): PeerBlock {
  const fields = { ...headOf(0), logsBloom: bloomOf([]), gasLimit: '0x1', gasUsed: '0x0' }
  const fees = { miner: zeroAddress, baseFeePerGas: '0x1' }
  const made = { ...fields, ...fees, receiptsRoot: receiptsRoot([]), transactions: [] }
  const json = JSON.stringify(made)
  return { hash: made.hash, head: json, block: json, receipts: '[]', logs: '[]' }
}

function peerBlockOf(message: Parameters<typeof servedBlockOf>[0]): PeerBlock {
  const served = servedBlockOf(message)
  // Ponder stores it. Receipts without the sum of their gas prove none, so it is not checked.
  const block = { ...JSON.parse(served.block), receiptsRoot: zeroHash }
  const head = JSON.stringify({ ...block, transactions: [] })
  return { ...served, hash: message.block.hash, head, block: JSON.stringify(block) }
}

const numberOf = (tag: unknown): number => (tag === 'latest' ? head : Number(tag))
const published = (number: number): PeerBlock | undefined =>
  number <= head ? blocks[number] : undefined

/** All of them: the chain has no logs but transfers of the tokens that are indexed. */
function logsOf(range: unknown): string {
  const asked = logRange.parse(range)
  if ('blockHash' in asked) return published(numbers.get(asked.blockHash) ?? head + 1)?.logs ?? '[]'
  const last = Math.min(head, numberOf(asked.toBlock))
  const parts = blocks.slice(numberOf(asked.fromBlock), last + 1).map(({ logs }) => logs)
  return `[${parts.map((part) => part.slice(1, -1)).filter(Boolean)}]`
}

function resultOf({ method, params: [what, second] }: z.output<typeof call>): string | undefined {
  const shown = (block: PeerBlock | undefined) => (second === true ? block?.block : block?.head)
  switch (method) {
    case 'eth_chainId':
      return `"${quantity(generatedChainId)}"`
    case 'eth_blockNumber':
      return `"${quantity(head)}"`
    case 'eth_getBlockByNumber':
      return shown(published(numberOf(what))) ?? 'null'
    case 'eth_getBlockByHash':
      return shown(published(numbers.get(String(what)) ?? head + 1)) ?? 'null'
    case 'eth_getBlockReceipts':
      return published(numbers.get(String(what)) ?? numberOf(what))?.receipts ?? 'null'
    case 'eth_getLogs':
      return logsOf(what)
    case 'eth_getCode':
      return numberOf(second) === 0 ? '"0x"' : '"0x6000"'
    case 'eth_call':
      return '"0x"'
    default:
      return undefined
  }
}

function answerTo(text: string, socket?: WebSocket): string {
  const one = (asked: z.output<typeof call>) => {
    const start = `{"jsonrpc":"2.0","id":${JSON.stringify(asked.id)},`
    if (socket !== undefined && asked.method === 'eth_subscribe') {
      subscribers.add(socket)
      return `${start}"result":"0x1"}`
    }
    const result = resultOf(asked)
    const error = `{"code":-32601,"message":"the method ${asked.method} does not exist"}`
    return `${start}${result === undefined ? `"error":${error}` : `"result":${result}`}}`
  }
  const asked = calls.parse(JSON.parse(text))
  return Array.isArray(asked) ? `[${asked.map(one)}]` : one(asked)
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

const subscribers = new Set<WebSocket>()
const server = createServer((request, response) => {
  void textOf(request).then((text) => {
    response.setHeader('content-type', 'application/json')
    response.end(answerTo(text))
  })
})
new WebSocketServer({ server }).on('connection', (socket) => {
  socket.on('message', (data) => socket.send(answerTo(String(data), socket)))
  socket.on('close', () => subscribers.delete(socket))
})
server.listen(0, '127.0.0.1', () => {
  const bound = server.address()
  process.send?.({ port: bound !== null && typeof bound === 'object' ? bound.port : 0 })
})
process.on('message', (message) => {
  for (const last = z.int().parse(message); head < last; ) {
    head += 1
    const params = `{"subscription":"0x1","result":${published(head)?.head}}`
    const text = `{"jsonrpc":"2.0","method":"eth_subscription","params":${params}}`
    for (const socket of subscribers) socket.send(text)
  }
})
process.on('disconnect', () => process.exit())
