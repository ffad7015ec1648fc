import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Hash, hash } from '../../libs/chain/hex.ts'
import { type Anvil, startAnvil } from '../../services/demo-chain/anvil.ts'
import { callOf, creationOf } from '../../services/demo-chain/artifact.ts'

type Contract = Parameters<typeof callOf>[0]

type Method = readonly [name: string, ...args: unknown[]]

interface Sending {
  readonly to: string
  /** The first account if absent. */
  readonly from?: string
  /** Wei. */
  readonly value?: bigint
}

/** A chain that a test mines, reorganises and asks, block by block. */
export class AnvilChain {
  readonly url: string
  readonly #anvil: Anvil
  readonly #folder: string
  #id = 0

  static async start(): Promise<AnvilChain> {
    const folder = await mkdtemp(join(tmpdir(), 'foldscan-anvil-'))
    const anvil = await startAnvil({
      chainId: 31337,
      accounts: 4,
      genesisTime: 1_700_000_000,
      cacheFolder: folder,
      stateFile: null,
    })
    return new AnvilChain(anvil, folder)
  }

  private constructor(anvil: Anvil, folder: string) {
    this.#anvil = anvil
    this.#folder = folder
    this.url = anvil.url
  }

  /** Of the node. */
  get pid(): number {
    return this.#anvil.pid
  }

  get wsUrl(): string {
    return this.url.replace('http:', 'ws:')
  }

  async ask(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const answer = await this.#post({ jsonrpc: '2.0', id: ++this.#id, method, params })
    return resultIn(answer, method)
  }

  /** What contracts return at the newest block; null for a revert, or nothing. */
  async callAll(calls: readonly object[]): Promise<(string | null)[]> {
    const asked = calls.map((call, id) => ({
      ...{ jsonrpc: '2.0', id, method: 'eth_call', params: [call, 'latest'] },
    }))
    const answers = await this.#post(asked)
    if (!Array.isArray(answers)) throw new Error(`eth_call: ${JSON.stringify(answers)}`)
    return answers.map((answer) => {
      const { result = '0x' } = Object(answer)
      return result === '0x' ? null : String(result)
    })
  }

  async #post(body: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(this.url, { method: 'POST', headers, body: JSON.stringify(body) })
    return response.json()
  }

  async mine(count = 1): Promise<void> {
    for (let mined = 0; mined < count; mined++) await this.ask('evm_mine')
  }

  /** Coin from one account to another, so that blocks of forks differ. */
  async pay(value: number): Promise<void> {
    const [from, to] = await this.accounts()
    await this.ask('eth_sendTransaction', [{ from, to, value: `0x${value.toString(16)}` }])
  }

  /** Mined at once; the address. */
  async deploy(name: Contract, args: readonly unknown[] = []): Promise<string> {
    return String((await this.#mined({ data: creationOf(name, args) })).contractAddress)
  }

  /** The same of code that a test brings. */
  async create(data: string, gas = 2_000_000): Promise<string> {
    const made = await this.#mined({ data, gas: `0x${gas.toString(16)}` })
    return String(made.contractAddress)
  }

  /** What is sent meanwhile stands in one block. */
  async together(sending: () => Promise<void>): Promise<void> {
    await sending()
    await this.mine()
  }

  /** Not mined. */
  async sendRaw(transaction: object): Promise<void> {
    const [from] = await this.accounts()
    await this.ask('eth_sendTransaction', [{ from, gas: '0x1e8480', ...transaction }])
  }

  /** Not mined. */
  async sendCall(name: Contract, { value = 0n, ...ends }: Sending, [method, ...args]: Method) {
    const data = callOf(name, method, args)
    await this.sendRaw({ ...ends, data, value: `0x${value.toString(16)}` })
  }

  /** Mined at once, whether it succeeds or fails. */
  async call(name: Contract, to: string, method: Method) {
    await this.send(name, { to }, method)
  }

  /** The same from a chosen account, and with coin. */
  async send(name: Contract, { value = 0n, ...ends }: Sending, [method, ...args]: Method) {
    const data = callOf(name, method, args)
    await this.#mined({ ...ends, data, value: `0x${value.toString(16)}`, gas: '0x1e8480' })
  }

  async accounts(): Promise<readonly string[]> {
    const said = await this.ask('eth_accounts')
    return Array.isArray(said) ? said.map(String) : []
  }

  async head(): Promise<number> {
    return Number(await this.ask('eth_blockNumber'))
  }

  async hash(number: number): Promise<Hash> {
    const block = await this.ask('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
    if (typeof block === 'object' && block !== null && 'hash' in block) {
      return hash(String(block.hash))
    }
    throw new Error(`no block ${number}`)
  }

  async stop(): Promise<void> {
    await this.#anvil.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #mined(transaction: object): Promise<{ contractAddress: unknown }> {
    const [from] = await this.accounts()
    const sent = await this.ask('eth_sendTransaction', [{ from, ...transaction }])
    await this.mine()
    const receipt = await this.ask('eth_getTransactionReceipt', [sent])
    if (typeof receipt === 'object' && receipt !== null && 'contractAddress' in receipt) {
      return { contractAddress: receipt.contractAddress }
    }
    throw new Error(`transaction ${String(sent)} was not mined`)
  }
}

function resultIn(answer: unknown, method: string): unknown {
  if (typeof answer === 'object' && answer !== null && 'result' in answer) return answer.result
  throw new Error(`${method}: ${JSON.stringify(answer)}`)
}
