import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryEventLog } from '../../libs/adapters/memory/memory-event-log.ts'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import type { ChainSource } from '../../libs/ports/chain-source.ts'
import { stateGroup } from '../../libs/projections/state-group.ts'
import { InMemoryGroup } from '../../libs/projections/testing/law.ts'
import { startIngestor } from '../../services/ingestor/ingestor.ts'
import type { Ingestor } from '../../services/ingestor/running-ingestor.ts'
import { chainInLog } from '../support/chain-in-log.ts'
import { compiled } from '../support/compiled.ts'
import { runLength } from '../support/run-length.ts'
import { until } from '../support/until.ts'
import { AnvilChain } from './anvil-chain.ts'

const odd = compiled(new URL('odd-tokens.sol', import.meta.url), 'Odd')
const kinds = { plain: 0, fee: 1, loggedRebase: 2, oldWrapped: 3 } as const
const genesis = '0x0000000000000000000000000000000000009001'

/** Seeded, so that a failure can be repeated. */
let seed = 20_261_128
const below = (end: number): number => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
  return Math.floor((seed / 2 ** 32) * end)
}

interface Token {
  readonly at: string
  /** What may be called of it, besides `transfer`. */
  readonly methods: readonly string[]
}

/** Decisions 23, 36, 55, 64. */
describe('tokens that transfers do not explain', () => {
  const log = memoryEventLog()
  const tokens: Token[] = []
  let chain: AnvilChain
  let people: readonly string[]
  let source: ChainSource
  let ingestor: Ingestor

  beforeAll(async () => {
    chain = await AnvilChain.start()
    people = await chain.accounts()
    await predeploy()
    source = await rpcSource({ url: chain.url })
    ingestor = await startIngestor({ source, log })
  })
  afterAll(async () => {
    await ingestor.stop()
    await source.close()
    await chain.stop()
  })

  /** A token of the genesis block, as far as the log can tell. */
  async function predeploy() {
    const made = await chain.create(odd.creation([kinds.plain, people.slice(0, 3)]))
    const code = await chain.ask('eth_getCode', [made, 'latest'])
    await chain.ask('anvil_setCode', [genesis, code])
    for (const slot of ['0x0', '0x1', '0x2']) {
      const value = await chain.ask('eth_getStorageAt', [made, slot, 'latest'])
      await chain.ask('anvil_setStorageAt', [
        genesis,
        `0x${slot.slice(2).padStart(64, '0')}`,
        value,
      ])
    }
    tokens.push({ at: genesis, methods: ['mint'] })
  }

  async function send([to, from]: readonly [string, string], data: string, value = 0n) {
    await chain.sendRaw({ to, from, data, value: `0x${value.toString(16)}` })
  }

  async function act() {
    const token = tokens[below(tokens.length)]
    const [from = '', to = ''] = [people[below(people.length)], people[below(people.length)]]
    if (token === undefined) return
    const value = BigInt(below(200))
    const method = below(3) === 0 ? token.methods[below(token.methods.length)] : 'transfer'
    if (method === 'deposit') return send([token.at, from], odd.call('deposit', []), value)
    if (method === 'rebase') return send([token.at, from], odd.call('rebase', []))
    const single = method === 'withdraw' || method === 'burnInSilence'
    await send([token.at, from], odd.call(method ?? 'transfer', single ? [value] : [to, value]))
  }

  const numberOf = async (to: string, data: string) =>
    BigInt(String(await chain.ask('eth_call', [{ to, data }, 'latest'])))

  const runner = new InMemoryGroup(stateGroup)
  let folded = 0

  /** What is shown after the newest block of the log. */
  async function shown() {
    const head = await chain.head()
    await until('all is published', () => Promise.resolve(ingestor.status().block === head))
    const { accepted } = await chainInLog(log)
    runner.fold(accepted.slice(folded))
    folded = accepted.length
    return runner.tables
  }

  async function expectHeld(row: object, block: number) {
    const { token, holder, value } = Object(row)
    const real = await numberOf(token, odd.call('balanceOf', [holder]))
    expect(value, `${token} ${holder} at ${block}`).toBe(real)
  }

  async function expectTotals(row: object, block: number) {
    const { token, totalSupply, holdersCount } = Object(row)
    if (totalSupply !== null) {
      const real = await numberOf(token, odd.call('totalSupply', []))
      expect(totalSupply, `${token} at ${block}`).toBe(real)
    }
    if (holdersCount === null) return
    const held = people.map((who) => numberOf(token, odd.call('balanceOf', [who])))
    const holders = (await Promise.all(held)).filter((value) => value > 0n)
    expect(holdersCount, `${token} at ${block}`).toBe(holders.length)
  }

  /** @returns how many balances are shown */
  async function expectNothingDenied(block: number) {
    const tables = await shown()
    const holders = tables.rowsOf('holders')
    await Promise.all(holders.map((row) => expectHeld(row, block)))
    await Promise.all(tables.rowsOf('token_state').map((row) => expectTotals(row, block)))
    return holders.length
  }

  it('shows no value that the node denies, after any block', { timeout: 600_000 }, async () => {
    const create = async (kind: number, holders: readonly string[], ...methods: string[]) => {
      tokens.push({ at: await chain.create(odd.creation([kind, holders])), methods })
    }
    await create(kinds.plain, [], 'mint')
    await create(kinds.plain, people.slice(0, 2), 'mint')
    await create(kinds.fee, [], 'mint')
    await create(kinds.plain, [], 'mint', 'rebase')
    await create(kinds.loggedRebase, [], 'mint', 'rebase')
    await create(kinds.plain, [], 'mint', 'mintInSilence', 'burnInSilence')
    await create(kinds.oldWrapped, [], 'deposit', 'withdraw')
    let found = 0
    for (let block = 0; block < runLength.oddTokenBlocks; block++) {
      await chain.together(async () => {
        for (let times = 1 + below(3); times > 0; times--) await act()
      })
      found += await expectNothingDenied(await chain.head())
    }
    // A fold that shows nothing is never wrong.
    const replay = new InMemoryGroup(stateGroup)
    replay.fold((await chainInLog(log)).accepted)
    expect(replay.tables.all()).toEqual(runner.tables.all())
    expect(found / runLength.oddTokenBlocks).toBeGreaterThan(4)
  })
})
