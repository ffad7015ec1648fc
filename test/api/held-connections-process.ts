import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { stripTypes } from '../support/strip-types.ts'

const script = fileURLToPath(new URL('./held-connections.ts', import.meta.url))

/** In a process of its own: one process may not have enough open files for both ends. */
export function heldConnections(port: number, count: number, kind: 'idle' | 'bytes' | 'heads') {
  const child = fork(script, [String(port), String(count), kind], {
    execArgv: stripTypes,
  })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process that holds connections ended with ${code}`)
  })
  // Awaited where a message is.
  ended.catch(() => {})
  const message = async () => (await Promise.race([once(child, 'message'), ended]))[0]
  return {
    /** How many are open at once. */
    open: async () => z.object({ open: z.number() }).parse(await message()).open,
    /** Resolves once the server has closed all of them. */
    closed: message,
    end: () => child.kill(),
  }
}
