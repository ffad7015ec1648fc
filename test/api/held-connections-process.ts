import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const script = fileURLToPath(new URL('./held-connections.ts', import.meta.url))

/** In a process of its own: one process may not have enough open files for both ends. */
export function heldConnections(port: number, count: number, kind: 'idle' | 'bytes' | 'heads') {
  const child = fork(script, [String(port), String(count), kind], {
    execArgv: ['--import', 'tsx'],
  })
  return {
    /** How many are open at once. */
    open: async () => z.object({ open: z.number() }).parse((await once(child, 'message'))[0]).open,
    /** Resolves once the server has closed all of them. */
    closed: async () => (await once(child, 'message'))[0],
    end: () => child.kill(),
  }
}
