import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { startUp } from '../../test/up/running.ts'
import type { PeerShape } from './peer-chain.ts'
import { startPonder } from './ponder-process.ts'

/** Foldscan and Ponder over one node. */
export interface BothServers {
  readonly foldscan: PeerServer
  readonly ponder: PeerServer
  /** Blocks up to this one appear at the node, announced to both. */
  publish(block: number): void
  /** Statistics of Ponder's tables. */
  analyze(): Promise<void>
  end(): Promise<void>
}

export interface PeerServer {
  readonly name: string
  readonly port: number
  /** Before the path of a list. */
  readonly prefix: string
}

const script = fileURLToPath(new URL('./node-process.ts', import.meta.url))
const started = z.object({ port: z.int() })

/** @throws if npm cannot install Ponder, or a server ends */
export async function startBoth(
  folder: string,
  shape: PeerShape,
  firstHead: number,
): Promise<BothServers> {
  const node = fork(script, [JSON.stringify(shape), `${firstHead}`], { execArgv: process.execArgv })
  const ends: (() => Promise<unknown>)[] = [async () => node.kill()]
  const end = async () => {
    for (const one of ends.toReversed()) await one()
  }
  try {
    const [message] = await once(node, 'message')
    const { port: nodePort } = started.parse(message)
    const ponder = await startPonder(nodePort)
    ends.push(ponder.end)
    const source = `ws://127.0.0.1:${nodePort}`
    const foldscan = startUp({ source, 'data-dir': join(folder, 'foldscan') })
    ends.push(async () => {
      foldscan.kill('SIGTERM')
      await foldscan.exited
    })
    const port = Number(new URL(await foldscan.origin()).port)
    return {
      foldscan: { name: 'Foldscan', port, prefix: '/api/v2' },
      ponder: { name: 'Ponder', port: ponder.port, prefix: '' },
      publish: (block) => void node.send(block),
      analyze: ponder.analyze,
      end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

const newest = z.object({
  items: z.array(z.object({ block: z.int() }).or(z.object({ block_number: z.int() }))),
})
const lookMs = 5

interface Awaited {
  readonly server: PeerServer
  /** Of a token that moved in the block. */
  readonly path: string
  readonly block: number
  readonly boundMs: number
}

/** Until a list of transfers begins with one of the block. @returns when */
export async function untilVisible({ server, path, block, boundMs }: Awaited): Promise<number> {
  const url = `http://127.0.0.1:${server.port}${server.prefix}${path}`
  for (const deadline = performance.now() + boundMs; ; await pause(lookMs)) {
    const response = await fetch(url)
    const body = await response.text()
    const [first] = response.ok ? newest.parse(JSON.parse(body)).items : []
    const shown = first === undefined ? 0 : 'block' in first ? first.block : first.block_number
    // Foldscan reports the newest block of all its tables; Ponder commits all of them at once.
    const indexed = Number(response.headers.get('x-indexed-block') ?? shown)
    if (Math.min(shown, indexed) >= block) return performance.now()
    if (performance.now() > deadline) {
      throw new Error(`${server.name} does not show block ${block} after ${boundMs} ms`)
    }
  }
}
