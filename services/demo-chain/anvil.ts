import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import getPort from 'get-port'
import { jsonRpc } from './json-rpc.ts'

export interface AnvilOptions {
  readonly chainId: number
  readonly accounts: number
  /** Seconds since 1970. */
  readonly genesisTime: number
  /** Where it may put old states aside. */
  readonly cacheFolder: string
  /** A state that it dumped once, to go on from. */
  readonly stateFile: string | null
}

export interface Anvil {
  readonly url: string
  /** Of the process to kill when the chain has to go away at once. */
  readonly pid: number
  /** Resolves with the reason when the process is gone, wanted or not. */
  readonly exited: Promise<string>
  stop(): Promise<void>
}

/** Long enough for a machine that is busy with other things. */
const readyTimeoutMs = 15_000
const readyPollMs = 25
const complaintCharactersMax = 2_000

/** The mnemonic that every tool of this kind knows: nothing of value ever rests here. */
export const mnemonic = 'test test test test test test test test test test test junk'

/**
 * anvil heeds neither its parent's death nor a closed input, so a process stands between: it ends
 * anvil as soon as our end of its standard input closes, for whatever reason. Not a shell, because
 * the image of the services has none.
 */
const guard = `
  const [binary, ...args] = process.argv.slice(1)
  const anvil = require('node:child_process').spawn(binary, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  anvil.once('spawn', () => console.log(anvil.pid))
  anvil.once('error', (error) => console.error(error.message))
  anvil.once('exit', (code, signal) => process.exit(signal === null ? code : 137))
  for (const event of ['end', 'error']) process.stdin.once(event, () => anvil.kill('SIGKILL'))
  process.stdin.resume()
`

/** Starts anvil on a free loopback port. @throws with one clear sentence if it cannot. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const binary = anvilBinary()
  const port = await getPort({ host: '127.0.0.1' })
  // Detached: a Ctrl-C on the terminal is for us; we stop anvil when its turn has come.
  const between = spawn(
    process.execPath,
    ['--eval', guard, '--', binary, ...argumentsOf(options, port)],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      env: { ...process.env, NODE_OPTIONS: '' },
    },
  )
  const exited = exitOf(between)
  const pid = await firstLineOf(between, exited)
  const url = `http://127.0.0.1:${port}`
  await ready(url, exited)
  return {
    url,
    pid,
    exited,
    async stop() {
      between.stdin?.destroy()
      await exited
    },
  }
}

function argumentsOf(options: AnvilOptions, port: number): string[] {
  const { chainId, accounts, genesisTime, cacheFolder, stateFile } = options
  return [
    ...['--host', '127.0.0.1', '--port', `${port}`, '--chain-id', `${chainId}`, '--quiet'],
    ...['--accounts', `${accounts}`, '--mnemonic', mnemonic, '--balance', '100000000'],
    ...['--no-mining', '--order', 'fifo', '--hardfork', 'prague', '--no-request-size-limit'],
    ...['--base-fee', '1000000000', '--gas-limit', '60000000'],
    ...['--timestamp', `${genesisTime}`, '--cache-path', cacheFolder],
    ...(stateFile === null ? [] : ['--load-state', stateFile]),
  ]
}

function anvilBinary(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/anvil`)
  } catch {
    throw new Error(`the demo chain needs the optional package ${name}, which is not installed`)
  }
}

function exitOf(between: ChildProcess): Promise<string> {
  let complaint = ''
  between.stderr?.on('data', (bytes: Buffer) => {
    complaint = (complaint + bytes.toString()).slice(-complaintCharactersMax)
  })
  return new Promise((resolve) => {
    between.once('error', (error) => resolve(`the demo chain did not start: ${error.message}`))
    between.once('exit', (code, signal) => {
      between.stdin?.destroy()
      const said = complaint.trim() === '' ? '' : `: ${complaint.trim()}`
      resolve(`the demo chain (anvil) ended with ${signal ?? `code ${code}`}${said}`)
    })
  })
}

/** The first line of its output is the process id of anvil. */
async function firstLineOf(between: ChildProcess, exited: Promise<string>): Promise<number> {
  const line = await Promise.race([
    new Promise<string>((resolve) => between.stdout?.once('data', (b: Buffer) => resolve(`${b}`))),
    exited,
  ])
  const pid = Number.parseInt(line, 10)
  if (!Number.isSafeInteger(pid)) throw new Error(line)
  between.stdout?.resume()
  return pid
}

async function ready(url: string, exited: Promise<string>): Promise<void> {
  let ended: string | undefined
  void exited.then((reason) => {
    ended = reason
  })
  const rpc = jsonRpc(url)
  const deadline = Date.now() + readyTimeoutMs
  while (ended === undefined && Date.now() < deadline) {
    try {
      await rpc.batch([{ method: 'eth_chainId', params: [] }])
      return
    } catch {
      await pause(readyPollMs)
    }
  }
  throw new Error(ended ?? `the demo chain did not answer within ${readyTimeoutMs} ms`)
}
