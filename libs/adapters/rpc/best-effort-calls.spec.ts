import { expect, it } from 'vitest'
import { silentLog } from '../../signals/log.ts'
import { BestEffortCalls } from './best-effort-calls.ts'
import { RpcClient } from './transport/rpc-client.ts'
import { type RpcCall, rpcLimits } from './transport/rpc-transport.ts'

it('warns of time limits that are always too short, and of no single one', async () => {
  const lines: string[] = []
  const log = {
    ...silentLog,
    info: () => void lines.push('info'),
    warn: () => void lines.push('warn'),
  }
  const transport = {
    send: async (sent: readonly RpcCall[]) => sent.map(() => ({ result: '0x' })),
    close() {},
  }
  const calls = new BestEffortCalls(new RpcClient(transport, rpcLimits, { log }))
  const ask = (signal: AbortSignal, kind: 'token' | 'trace' = 'token') =>
    calls.ask([[{ method: 'eth_call', params: [] }]], {
      kind,
      isFinal: () => true,
      isNodeHealthy: async () => true,
      batchCallsMax: 10,
      timeoutMs: 1_000,
      responseBytesMax: 1_000,
      signal,
    })
  const inTime = new AbortController().signal

  for (let times = 0; times < 9; times++) await ask(AbortSignal.abort())
  await ask(inTime)
  for (let times = 0; times < 10; times++) {
    await ask(AbortSignal.abort())
    await ask(inTime, 'trace')
  }
  expect(lines).toEqual([...Array<string>(18).fill('info'), 'warn'])
  await ask(inTime)
  await ask(AbortSignal.abort())
  expect(lines.at(-1)).toBe('info')
})
