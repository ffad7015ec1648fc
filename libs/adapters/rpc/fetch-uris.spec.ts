import { encodeAbiParameters } from 'viem'
import { describe, expect, it } from 'vitest'
import { mainnetBlock } from '../../../test/support/mainnet-block.ts'
import { NodeOfValues } from '../../../test/support/node-of-values.ts'
import { address } from '../../chain/hex.ts'
import { SourceError } from '../../ports/chain-source.ts'
import type { UriRequest } from '../../ports/token-uris.ts'
import { silentLog } from '../../signals/log.ts'
import { sourceOver } from './rpc-source.ts'
import { type RpcCall, rpcLimits } from './transport/rpc-transport.ts'

const number = 4_370_006
const limits = { ...rpcLimits, retriesMax: 1, retryMinMs: 0, retryMaxMs: 1 }
const token = address(`0x${'ab'.repeat(20)}`)
const request = (tokenId: bigint): UriRequest => ({ token, tokenId, function: 'tokenURI' })
const text = (uri: string) => encodeAbiParameters([{ type: 'string' }], [uri])

/** What contracts answer; null for calls that are none of theirs. */
type Contracts = (id: bigint, data: string) => object | Error

async function started(contracts: Contracts) {
  const node = new NodeOfValues([[number, mainnetBlock(number)]])
  const source = await sourceOver(node, limits, { log: silentLog })
  const calls: RpcCall[] = []
  node.always = (batch, ids) => {
    if (batch[0]?.method !== 'eth_call') return undefined
    calls.push(...batch)
    return batch.map(({ params: [call] }, at) => {
      const data = typeof call === 'object' && call && 'data' in call ? String(call.data) : ''
      const answer = contracts(BigInt(`0x${data.slice(10)}`), data)
      if (answer instanceof Error) throw answer
      return { id: ids[at], ...answer }
    })
  }
  const { tokenUris } = source
  if (tokenUris === undefined) throw new Error('a node has contracts')
  return { ask: (requests: readonly UriRequest[]) => tokenUris.ask(requests), calls }
}

describe('URIs of NFTs', () => {
  it('are what the contracts say in the newest state, in the order of the requests', async () => {
    const { ask, calls } = await started((id) => ({ result: text(`ipfs://x/${id}`) }))
    const many = Array.from({ length: 40 }, (_, at) => request(BigInt(at)))
    expect(await ask(many)).toEqual(
      many.map(({ tokenId }) => ({ kind: 'uri', text: `ipfs://x/${tokenId}` })),
    )
    expect(new Set(calls.map(({ params: [, tag] }) => tag))).toEqual(new Set(['latest']))
  })

  it('are asked by the function of the standard', async () => {
    const { ask, calls } = await started(() => ({ result: text('ipfs://x') }))
    await ask([request(1n), { ...request(1n), function: 'uri' }])
    const selectors = calls.map(({ params: [call] }) => JSON.stringify(call).slice(0, 84))
    expect(selectors[0]).toContain('0xc87b56dd')
    expect(selectors[1]).toContain('0x0e89341c')
  })

  it.each<[string, object]>([
    ['reverts', { error: { code: 3, message: 'execution reverted', data: '0x' } }],
    ['returns nothing', { result: '0x' }],
    ['returns an empty text', { result: text('') }],
    ['returns no text', { result: `0x${'ff'.repeat(64)}` }],
    ['returns more text than is read', { result: text('x'.repeat(600_000)) }],
  ])('are none where the contract %s', async (_, answer) => {
    const { ask } = await started((id) => (id === 1n ? answer : { result: text('ipfs://x') }))
    expect(await ask([request(1n), request(2n)])).toEqual([
      { kind: 'none' },
      { kind: 'uri', text: 'ipfs://x' },
    ])
  })

  it('are unanswered where each contract fails alone, which is no failure of the node', async () => {
    const { ask } = await started(() => new SourceError('timed-out', 'no whole answer'))
    const results = await ask(Array.from({ length: 3 }, (_, at) => request(BigInt(at))))
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['unanswered']))
  })

  it('do not miss one for the contract beside it that takes too long', async () => {
    const { ask } = await started((id) =>
      id === 1n ? new SourceError('timed-out', 'no whole answer') : { result: text('ipfs://x') },
    )
    const [slow, ...others] = await ask([1n, 2n, 3n].map(request))
    expect(slow).toEqual({ kind: 'unanswered' })
    expect(others).toEqual([2n, 3n].map(() => ({ kind: 'uri', text: 'ipfs://x' })))
  })
})
