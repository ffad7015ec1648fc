import { createServer, type IncomingMessage } from 'node:http'
import { encodeAbiParameters, toFunctionSelector } from 'viem'
import { z } from 'zod'
import { address, type Hex } from '../../libs/chain/hex.ts'
import type { Step } from './chain-plan.ts'
import { type PlannedBlock, quantity } from './planned-block.ts'
import { collection, foes, tokens, wrapped } from './planned-traffic.ts'

export const chainId = 1_337

/** A JSON-RPC node over http that serves a planned chain, as far as a test lets it. */
export interface ChainNode {
  readonly url: string
  /** Takes the next step of the plan; false where only its last one is left. */
  next(): boolean
  /** Takes all steps but the last. */
  toLast(): void
  /** Takes the last step as well. */
  toEnd(): void
  /** What stands, from block 0 on. */
  readonly standing: readonly PlannedBlock[]
  readonly head: PlannedBlock
  close(): Promise<void>
}

export async function startChainNode(plan: readonly Step[]): Promise<ChainNode> {
  const standing: PlannedBlock[] = []
  let taken = 0
  const take = (stepsMax: number) => {
    const step = plan[taken]
    if (step === undefined || taken >= stepsMax) return false
    taken += 1
    standing.splice(standing.length - step.depth, step.depth, ...step.blocks)
    return true
  }
  const next = () => take(plan.length - 1)
  next()
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const asked = calls.parse(JSON.parse(text))
      const answers = [asked].flat().flatMap((call): object[] => {
        const answer = answerTo(call, standing)
        return answer === null ? [] : [{ jsonrpc: '2.0', id: call.id, ...answer }]
      })
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(Array.isArray(asked) ? answers : answers[0]))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const port = bound !== null && typeof bound === 'object' ? bound.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    next,
    toLast() {
      while (next());
    },
    toEnd() {
      while (take(plan.length));
    },
    standing,
    get head() {
      const head = standing.at(-1)
      if (head === undefined) throw new Error('the plan is empty')
      return head
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const call = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) })
const calls = z.union([call, z.array(call)])
const atHash = z.object({ blockHash: z.string() })
const toContract = z.looseObject({ to: z.string().transform(address), data: z.string() })

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

function answerTo({ method, params }: z.output<typeof call>, standing: readonly PlannedBlock[]) {
  const [what, isWhole] = params
  const block = what === 'latest' ? standing.at(-1) : standing[Number(what)]
  switch (method) {
    case 'eth_chainId':
      return { result: quantity(chainId) }
    case 'eth_blockNumber':
      return { result: quantity(standing.length - 1) }
    case 'eth_getBlockByNumber':
      return { result: block === undefined ? null : jsonOf(block, isWhole === true) }
    case 'eth_getBlockReceipts':
      return { result: block?.receipts ?? null }
    case 'eth_getBalance':
      return { result: quantity(0) }
    case 'eth_getCode':
      return { result: tokens.some((token) => token === what) ? '0x6000' : '0x' }
    case 'eth_call':
      return calledAt(toContract.parse(what), blockOf(params[1], standing))
    default:
      return { error: { code: -32601, message: `the method ${method} does not exist` } }
  }
}

/** As the last parameter of a call names it: by its hash, or by its number. */
function blockOf(at: unknown, standing: readonly PlannedBlock[]): PlannedBlock | undefined {
  const named = atHash.safeParse(at)
  if (!named.success) return standing[Number(at)]
  return standing.findLast(({ hash }) => hash === named.data.blockHash)
}

const jsonOf = ({ json }: PlannedBlock, isWhole: boolean) =>
  isWhole ? json : { ...json, transactions: [] }

const selectors = {
  name: toFunctionSelector('name()'),
  symbol: toFunctionSelector('symbol()'),
  decimals: toFunctionSelector('decimals()'),
  supports: toFunctionSelector('supportsInterface(bytes4)'),
  balanceOf: toFunctionSelector('balanceOf(address)'),
  totalSupply: toFunctionSelector('totalSupply()'),
}
const agreedOfCollection = ['01ffc9a7', '80ac58cd']

const text = (json: string): Hex => encodeAbiParameters([{ type: 'string' }], [json])
const yesOrNo = (json: boolean): Hex => encodeAbiParameters([{ type: 'bool' }], [json])

/** Null for no answer at all. */
function calledAt(call: z.output<typeof toContract>, block: PlannedBlock | undefined) {
  const foe = foes.indexOf(call.to)
  if (foe >= 0) return foeAnswers[foe] ?? null
  if (block === undefined) return { error: { code: -32000, message: 'header not found' } }
  if (call.to !== wrapped) return { result: wordsOf(call) }
  const { balances } = block
  if (call.data.startsWith(selectors.balanceOf)) {
    const holder = address(`0x${call.data.slice(-40)}`)
    return { result: word(balances.get(wrapped + holder) ?? 0n) }
  }
  if (!call.data.startsWith(selectors.totalSupply)) return { result: '0x' }
  const held = [...balances].filter(([key]) => key.startsWith(wrapped))
  return { result: word(held.reduce((sum, [, value]) => sum + value, 0n)) }
}

/** What contracts bring a node to answer: words of its own, errors, too much, or nothing. */
const foeAnswers = [
  { error: { code: 3, message: 'execution reverted: too many requests', data: '0x08c379a0' } },
  { error: { code: -32000, message: 'missing trie node 12ab, rate limit exceeded' } },
  { result: `0x${'ff'.repeat(200_000)}` },
]

/** What the contracts say of themselves, at every block the same. */
function wordsOf({ to, data }: z.output<typeof toContract>): Hex {
  const at = tokens.indexOf(to)
  if (at < 0) return '0x'
  if (data.startsWith(selectors.name)) return text(`Token ${at}`)
  if (data.startsWith(selectors.symbol)) return text(`T${at}`)
  if (data.startsWith(selectors.decimals)) return to === collection ? '0x' : word(at)
  if (!data.startsWith(selectors.supports) || to !== collection) return '0x'
  return yesOrNo(agreedOfCollection.includes(data.slice(10, 18)))
}

const word = (value: number | bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
