import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { EngineAddress } from '../../libs/adapters/clickhouse/query-engine.ts'

export interface ApiProcess {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

const script = fileURLToPath(new URL('./api-process.ts', import.meta.url))
const started = z.object({ port: z.number() })

/** The API in a process of its own, as load beside it would take its processor. */
export async function startApiProcess(
  { url, username, password }: EngineAddress,
  database: string,
): Promise<ApiProcess> {
  const child = fork(script, [url, username, password, database], {
    execArgv: ['--import', 'tsx'],
  })
  const [message] = await once(child, 'message')
  return {
    port: started.parse(message).port,
    pid: child.pid ?? 0,
    async stop() {
      const exited = once(child, 'exit')
      child.kill()
      await exited
    },
  }
}
