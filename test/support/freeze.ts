import { readdirSync, readFileSync } from 'node:fs'
import { until } from './until.ts'

/** Stops a process as a server that hangs. The signal is sent before it has an effect. */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  const threads = `/proc/${pid}/task`
  await until('all threads stand still', () =>
    readdirSync(threads).every((id) => / T /.test(readFileSync(`${threads}/${id}/stat`, 'utf8'))),
  )
}
