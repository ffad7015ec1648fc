import { pause } from '../../../signals/pause.ts'
import type { RpcCall, RpcResponse, RpcTransport, SendOptions } from './rpc-transport.ts'

/** The same transport, with a bound of calls each second: a batch counts with all its calls. */
export function pacedTransport(transport: RpcTransport, callsPerSecondMax: number): RpcTransport {
  const closing = new AbortController()
  let freeAtMs = 0
  return {
    async send(calls: readonly RpcCall[], options: SendOptions): Promise<readonly RpcResponse[]> {
      const now = performance.now()
      const startMs = Math.max(now, freeAtMs)
      freeAtMs = startMs + (calls.length * 1_000) / callsPerSecondMax
      if (startMs > now) await pause(startMs - now, options.signal ?? closing.signal)
      return transport.send(calls, options)
    },
    close() {
      closing.abort()
      transport.close()
    },
  }
}
