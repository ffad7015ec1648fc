import { type KeptProcess, startKept } from './kept-process.ts'
import { livingServer } from './pid-file.ts'
import type { Server } from './server.ts'
import { StackFailure } from './stack-failure.ts'
import { untilAnswers } from './until-answers.ts'

export interface KeptServerOptions<Address> {
  /** For people: 'Kafka'. */
  readonly name: string
  readonly folder: string
  readonly address: Address
  readonly command: string
  readonly args: readonly string[]
  /** Throws as long as it does not answer. */
  readonly ask: () => Promise<void>
  readonly startTimeoutMs: number
  readonly stopTimeoutMs: number
}

/** @throws StackFailure: it ended, did not answer in time, or another one is on the folder. */
export async function startKeptServer<Address>(
  options: KeptServerOptions<Address>,
): Promise<Server<Address>> {
  const { name, folder, address } = options
  const living = livingServer(folder)
  if (living !== null) {
    throw new StackFailure(`${name} runs on the folder ${folder} already (pid ${living})`)
  }
  let running: KeptProcess | null = null
  const start = async () => {
    const started = await startKept(options)
    running = started
    void started.exited.then(() => {
      if (running === started) running = null
    })
    await untilAnswers({ ...options, gone: started.exited }).catch(async (error: unknown) => {
      started.signal('SIGKILL')
      await started.exited
      throw error
    })
  }
  const end = async (signal: NodeJS.Signals) => {
    const ending = running
    if (!ending) return
    ending.signal('SIGCONT')
    ending.signal(signal)
    const timer = setTimeout(() => ending.signal('SIGKILL'), options.stopTimeoutMs)
    await ending.exited
    clearTimeout(timer)
  }
  const stop = () => end('SIGTERM')
  await start()
  return {
    address,
    pid: () => running?.pid ?? null,
    stop,
    kill: () => end('SIGKILL'),
    async restart() {
      await stop()
      await start()
    },
    pause: async () => running?.signal('SIGSTOP'),
    resume: async () => running?.signal('SIGCONT'),
    exited: () => running?.exited ?? Promise.resolve('it does not run'),
  }
}
