import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { EngineAddress } from '../../libs/adapters/clickhouse/query-engine.ts'
import type { ChainShape } from '../generated-chain.ts'

export interface ProjectorProcess {
  readonly pid: number
  /** Lets a block arrive each second. */
  start(): void
  /** @returns the number of the last block, once it is folded */
  finish(): Promise<number>
  stop(): Promise<void>
}

export interface ProjectorProcessOptions {
  readonly address: EngineAddress
  readonly database: string
  readonly shape: ChainShape
  /** Folded before it resolves. */
  readonly firstBlocks: number
  /** Receives announcements, in base64. */
  readonly onChanges: (changes: readonly string[]) => void
}

const script = fileURLToPath(new URL('./projector-process.ts', import.meta.url))
const message = z.union([z.object({ folded: z.int() }), z.object({ changes: z.array(z.string()) })])

/** Both groups in a process of their own, over a chain that they generate. */
export async function startProjectorProcess(
  options: ProjectorProcessOptions,
): Promise<ProjectorProcess> {
  const { address, database, shape, firstBlocks, onChanges } = options
  const { url, username, password } = address
  const values = [url, username, password, database, JSON.stringify(shape), `${firstBlocks}`]
  const child = fork(script, values, { execArgv: process.execArgv })
  let resolveFolded = (_: number) => {}
  let rejectFolded = (_: Error) => {}
  const folded = () =>
    new Promise<number>((resolve, reject) => {
      resolveFolded = resolve
      rejectFolded = reject
    })
  child.on('message', (sent) => {
    const received = message.parse(sent)
    if ('changes' in received) onChanges(received.changes)
    else resolveFolded(received.folded)
  })
  child.on('exit', (code) => rejectFolded(new Error(`the projectors ended with ${code}`)))
  await folded()
  return {
    pid: child.pid ?? 0,
    start: () => void child.send(true),
    async finish() {
      const done = folded()
      child.send(false)
      return await done
    },
    async stop() {
      const exited = once(child, 'exit')
      rejectFolded = () => {}
      child.kill()
      await exited
    },
  }
}
