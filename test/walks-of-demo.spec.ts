import { afterAll, beforeAll, expect, test } from 'vitest'
import { rpcSource } from '../libs/adapters/rpc/rpc-source.ts'
import type { Address } from '../libs/chain/hex.ts'
import type { ChainSource } from '../libs/ports/chain-source.ts'
import { startDemoChain } from '../services/demo-chain/demo-chain.ts'
import type { DemoChain } from '../services/demo-chain/demo-chain-port.ts'
import type { Ingestor } from '../services/ingestor/running-ingestor.ts'
import { startInMemory } from '../services/ingestor/testing/start-in-memory.ts'
import { checkAnswers } from './oracle/check.ts'
import { type EmbeddedServices, startEmbedded } from './oracle/embedded-services.ts'
import { type Knowledge, knowledgeOf } from './oracle/knowledge.ts'
import { everyBalanceOf } from './oracle/lists.ts'
import { scope, seed, walksTimeoutMs } from './oracle/scope.ts'
import { chainInLog } from './support/chain-in-log.ts'
import { until } from './support/until.ts'

const quiet = { info: () => {}, error: () => {} }

/** The whole backlog, on a machine that is busy with other things. */
const backlogTimeoutMs = 120_000

/** Depths of reorganisations, each followed by a walk. */
const depths = [1, 3, 12, 64]

let chain: DemoChain
let source: ChainSource
let embedded: EmbeddedServices
let ingestor: Ingestor

beforeAll(async () => {
  chain = await startDemoChain({
    seed,
    backlogTransactions: 2_200,
    blockIntervalMs: null,
    genesisTime: 1_700_000_000,
    log: quiet,
  })
  source = await rpcSource({ url: chain.url })
  embedded = await startEmbedded(chain.chainId)
  ingestor = await startInMemory({ source, eventLog: embedded.eventLog })
})

afterAll(async () => {
  await ingestor.stop()
  await embedded.stop()
  await source.close()
  await chain.stop()
})

/** None before they are published. */
let rates: ReadonlyMap<Address, string> = new Map()

/** Waits until the embedded services have the chain's head, and all that is known then. */
async function reachHead(): Promise<Knowledge> {
  const { number, hash } = chain.head()
  const inLog = () => chainInLog(embedded.eventLog)
  // The number first: decoding the log again and again would starve the ingestor.
  const arrived = async () =>
    ingestor.status().block === number && (await inLog()).head?.hash === hash
  await until(`block ${number} in the log`, arrived, backlogTimeoutMs)
  const { accepted } = await inLog()
  await embedded.reached(accepted.at(-1)?.sequence ?? 0, number)
  return knowledgeOf(accepted, rates)
}

/** Checks every list of the chosen subjects. */
async function expectRightAnswers(nth: number): Promise<void> {
  const round = { seed, nth, last: depths.length }
  const checked = await checkAnswers(embedded.get, await reachHead(), { ...scope, round })
  expect(checked.differences, `seed ${seed}`).toEqual([])
  expect(checked.items).toBeGreaterThan(1_000)
}

test(
  'every list of the demo chain is what the contract says',
  () => expectRightAnswers(0),
  walksTimeoutMs,
)

test('half of the tokens get rates, by which balances are ordered from now on', async () => {
  const known = await reachHead()
  const tokens = [...known.tokens.values()].filter(({ decimals }) => decimals !== null)
  const rated = tokens.filter((_, n) => n % 2 === 0)
  rates = new Map(rated.map(({ address }, n) => [address, `${(n * 7) % 5}.${n}5`]))
  const orderOf = (of: Knowledge, holder: Address) =>
    JSON.stringify(everyBalanceOf(of, holder).facts)
  const holder = known.amounts.find(
    (one) => orderOf(known, one.holder) !== orderOf({ ...known, rates }, one.holder),
  )?.holder
  if (holder === undefined) throw new Error('rates that change no order')
  const hour = Math.floor((known.contents.transactions.at(-1)?.block.timestamp ?? 0) / 3_600)
  await embedded.rated(rates, { hour, holder })
})

test.each(depths.map((depth, n) => [depth, n + 1] as const))(
  'still so after a reorganisation of depth %i',
  async (depth, nth) => {
    await chain.reorganise(depth)
    await expectRightAnswers(nth)
  },
  walksTimeoutMs,
)
