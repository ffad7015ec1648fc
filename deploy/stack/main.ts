import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeUntrackedFolder } from '../../libs/adapters/disk/make-untracked-folder.ts'
import { stackHome } from './binaries.ts'
import { environmentOf } from './environment.ts'
import { argumentsOf, livingServer, pidIn } from './pid-file.ts'
import { type Stack, startStack } from './stack.ts'
import { StackFailure } from './stack-failure.ts'

const usage = 'npm run stack -- [stop] [--folder FOLDER]'
const help = `${usage}

Runs real Kafka, ClickHouse and Redis on this machine, on free ports of 127.0.0.1, until Ctrl-C,
without Docker, and prints the environment for the commands of foldscan. Needs Java 17 and Maven.

  stop             ends a stack that runs on the folder
  --folder FOLDER  data of the servers; the next start continues with it
                   (default ${join(stackHome, 'data')})
  --help           print this help`
const stopTimeoutMs = 30_000
const pollIntervalMs = 100

const say = (sentence: string) => process.stdout.write(`${sentence}\n`)

/** The stack as a command: `npm run stack`, until Ctrl-C or `npm run stack -- stop`. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      folder: { type: 'string', default: join(stackHome, 'data') },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowPositionals: true,
  })
  if (values.help) {
    say(help)
    return
  }
  const folder = resolve(values.folder)
  const [word = 'start', ...more] = positionals
  if (more.length > 0 || !['start', 'stop'].includes(word)) {
    throw new StackFailure(`${usage}; --help explains it`)
  }
  await (word === 'stop' ? stopIn(folder) : runIn(folder))
}

async function runIn(folder: string): Promise<void> {
  const running = commandIn(folder)
  if (running !== null) {
    throw new StackFailure(
      `a stack runs on ${folder} already (pid ${running}); npm run stack -- stop`,
    )
  }
  makeUntrackedFolder(folder, { mode: 0o700 })
  writeFileSync(pidPath(folder), String(process.pid))
  const told = new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => done())
  })
  try {
    say(`Starting Kafka, ClickHouse and Redis on ${folder}`)
    const stack = await startStack({ folder })
    introduce(stack, folder)
    let stopping = false
    watch(stack, (sentence) => (stopping ? undefined : say(sentence)))
    await told
    stopping = true
    say('Stopping')
    await stack.stop()
  } finally {
    rmSync(pidPath(folder), { force: true })
  }
}

function introduce({ kafka, clickhouse, redis }: Stack, folder: string): void {
  const environment = environmentOf({
    kafka: kafka.address,
    clickhouse: clickhouse.address,
    redis: redis.address,
  })
  const lines = Object.entries(environment).map(([name, value]) => `export ${name}='${value}'`)
  const path = join(folder, 'environment')
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 })
  say([...lines, '', `The same to be read by a shell: . ${path}`, 'Ctrl-C stops all.'].join('\n'))
}

/** Reports a server that has exited, for example one stopped on purpose; the others continue. */
function watch({ kafka, clickhouse, redis }: Stack, tell: (sentence: string) => void): void {
  for (const [name, server] of Object.entries({ kafka, clickhouse, redis })) {
    server.exited().then((words) => tell(`${name} ended: ${words}`))
  }
}

async function stopIn(folder: string): Promise<void> {
  const running = commandIn(folder)
  if (running !== null) process.kill(running, 'SIGTERM')
  const deadline = Date.now() + stopTimeoutMs
  const left = () => [commandIn(folder), ...serversIn(folder)].filter((pid) => pid !== null)
  while (running !== null && left().length > 0 && Date.now() < deadline) {
    await new Promise((done) => setTimeout(done, pollIntervalMs))
  }
  const killed = left()
  for (const pid of killed) process.kill(pid, 'SIGKILL')
  const how = killed.length > 0 ? `killed ${killed.join(', ')}` : 'nothing is left'
  say(running === null && killed.length === 0 ? `no stack runs on ${folder}` : `stopped: ${how}`)
}

const pidPath = (folder: string) => join(folder, 'stack.pid')

function commandIn(folder: string): number | null {
  const pid = pidIn(pidPath(folder))
  const here =
    pid !== null && pid !== process.pid && argumentsOf(pid).includes('deploy/stack/main.ts')
  return here ? pid : null
}

const serversIn = (folder: string) =>
  ['kafka', 'redis'].map((name) => livingServer(join(folder, name)))

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
