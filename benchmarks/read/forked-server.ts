import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { z } from 'zod'
import { nodeArguments } from './node-arguments.ts'

const started = z.object({ port: z.number() })

export interface ForkedServer {
  readonly pid: number
  readonly port: number
  end(): Promise<void>
}

/** Runs a server that sends its port, bound to one processor core. */
export async function forkServer(
  file: string,
  args: readonly string[],
  core: number,
): Promise<ForkedServer> {
  const child: ChildProcess = fork(file, args, { execArgv: nodeArguments })
  const { pid } = child
  if (pid === undefined) throw new Error(`cannot start ${file}`)
  const [message] = await once(child, 'message')
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)])
  return {
    pid,
    port: started.parse(message).port,
    async end() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
