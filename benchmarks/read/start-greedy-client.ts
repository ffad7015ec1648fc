import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/**
 * Connections, each kept alive. With as many as it has requests the kernel's queue of new ones
 * would overflow, and all clients wait for their packets to be sent again.
 */
export const greedyConnectionsMax = 1_024

export const greedyOptions = z.object({
  port: z.int(),
  perSecond: z.number(),
  seconds: z.number(),
  seed: z.int(),
  /** Transactions that it requests one after the other, again and again, and the first of them. */
  subjects: z.int(),
  firstSubject: z.int(),
  /** On the loopback interface. */
  localAddress: z.string(),
  /** Of so many accepted pages one is reported with its body. */
  checkedShare: z.int(),
})

const greedyReport = z.object({
  sentPerSecond: z.number(),
  responses: z.int(),
  /** Of accepted requests, from when each was due. */
  latenciesMs: z.array(z.number()),
  /** Bodies in base64. */
  kept: z.array(z.object({ subject: z.string(), body: z.string() })),
})

export type GreedyReport = z.infer<typeof greedyReport>

interface GreedyClient {
  /** Resolves once all its requests are answered. */
  run(): Promise<GreedyReport>
}

const script = fileURLToPath(new URL('./greedy-client.ts', import.meta.url))

/** One client in a process of its own: what it sends late delays no other client's requests. */
export async function startGreedyClient(
  options: z.infer<typeof greedyOptions>,
): Promise<GreedyClient> {
  const child = fork(script, [JSON.stringify(options)], { execArgv: process.execArgv })
  const message = () =>
    new Promise<unknown>((resolve, reject) => {
      child.once('message', resolve)
      child.once('exit', (code) => reject(new Error(`the greedy client ended with ${code}`)))
    })
  await message()
  return {
    async run() {
      const reported = message()
      child.send('run')
      const report = greedyReport.parse(await reported)
      const exited = once(child, 'exit')
      child.kill()
      await exited
      return report
    },
  }
}
