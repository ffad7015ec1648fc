import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { EngineAddress } from '../../libs/adapters/clickhouse/query-engine.ts'
import { nodeArguments } from './node-arguments.ts'

export interface ApiProcess {
  readonly port: number
  readonly pid: number
  /** Of the requests so far that had `countedId`. */
  hitCounts(): Promise<HitCounts>
  /** Appends messages, in base64, to its topic `changes`. */
  announce(changes: readonly string[]): void
  stop(): Promise<void>
}

/** A hit is answered at once, from memory. */
export interface HitCounts {
  readonly hits: number
  readonly misses: number
  /** Of the pages that are cached. */
  readonly cachedBytes: number
}

const script = fileURLToPath(new URL('./api-process.ts', import.meta.url))
const started = z.object({ port: z.number() })
const counted = z.object({ hits: z.number(), misses: z.number(), cachedBytes: z.number() })

interface ApiProcessOptions {
  readonly chainId?: number
  /** 1 caches no page; the default of the API if left out. */
  readonly pageCacheBytesMax?: number
}

/** The API in a process of its own, as load beside it would take its processor. */
export async function startApiProcess(
  { url, username, password }: EngineAddress,
  database: string,
  { chainId = 1, pageCacheBytesMax }: ApiProcessOptions = {},
): Promise<ApiProcess> {
  const bytesMax = pageCacheBytesMax === undefined ? [] : [`${pageCacheBytesMax}`]
  const words = [url, username, password, database, `${chainId}`, ...bytesMax]
  const child = fork(script, words, { execArgv: nodeArguments })
  const [message] = await once(child, 'message')
  child.send('count')
  return {
    port: started.parse(message).port,
    pid: child.pid ?? 0,
    async hitCounts() {
      const received = once(child, 'message')
      child.send('hits')
      return counted.parse((await received)[0])
    },
    announce: (changes) => void child.send(changes),
    async stop() {
      const exited = once(child, 'exit')
      child.kill()
      await exited
    },
  }
}
