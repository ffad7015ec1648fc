import { createServer, type IncomingMessage } from 'node:http'
import { z } from 'zod'
import { type ChainShape, generatedChain, generatedChainId } from './generated-chain.ts'
import { headOf, quantity, type ServedBlock, servedBlockOf } from './served-block.ts'

/**
 * A node that serves a generated chain over JSON-RPC: `generated-node.ts SHAPE-AS-JSON BLOCKS`,
 * a process of its own, as it remembers who holds what. It writes its port to stdout, and ends with
 * the process that started it. Blocks are made at their first request, and
 * forgotten soon after.
 */

/** A client that reads ahead requests no deeper block again. */
const keptBlocks = 64

const call = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) })
const calls = z.union([call, z.array(call)])

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

function node(shape: ChainShape, blocks: number) {
  const chain = generatedChain(shape)
  const served = new Map<number, ServedBlock>()
  let made = 0
  const numberOf = (tag: unknown) => (tag === 'latest' ? blocks : Number(tag))
  const at = (tag: unknown): ServedBlock | undefined => {
    const number = numberOf(tag)
    while (made < number && number <= blocks) {
      const { value } = chain.next()
      if (value === undefined) throw new Error('the chain is too short')
      made = value.block.number
      served.set(made, servedBlockOf(value))
      served.delete(made - keptBlocks)
    }
    return served.get(number)
  }
  return ({ method, params: [what, second] }: z.output<typeof call>): string => {
    switch (method) {
      case 'eth_chainId':
        return `"result":"${quantity(generatedChainId)}"`
      case 'eth_blockNumber':
        return `"result":"${quantity(blocks)}"`
      case 'eth_getBlockByNumber':
        if (second === true) return `"result":${at(what)?.block ?? null}`
        return `"result":${numberOf(what) > blocks ? null : JSON.stringify(headOf(numberOf(what)))}`
      case 'eth_getBlockReceipts':
        return `"result":${at(what)?.receipts ?? null}`
      case 'eth_getCode':
        return `"result":"${numberOf(second) === 0 ? '0x' : '0x6000'}"`
      case 'eth_call':
        return '"result":"0x"'
      default:
        return `"error":{"code":-32601,"message":"the method ${method} does not exist"}`
    }
  }
}

const [shape = '', blocks = ''] = process.argv.slice(2)
const answer = node(JSON.parse(shape), Number(blocks))
const server = createServer((request, response) => {
  void textOf(request).then((text) => {
    const asked = calls.parse(JSON.parse(text))
    const answers = [asked].flat().map((one) => `{"jsonrpc":"2.0","id":${one.id},${answer(one)}}`)
    response.setHeader('content-type', 'application/json')
    response.end(Array.isArray(asked) ? `[${answers}]` : answers[0])
  })
})
server.listen(0, '127.0.0.1', () => {
  const bound = server.address()
  process.stdout.write(`${bound !== null && typeof bound === 'object' ? bound.port : 0}\n`)
})
process.stdin.on('end', () => process.exit(0)).resume()
