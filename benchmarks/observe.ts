import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MemoryTopics } from '../libs/ports/testing/memory-event-log.ts'
import { sourceSettings } from '../libs/settings/source-settings.ts'
import { ingestorLimits } from '../services/ingestor/memory/ingestor-limits.ts'
import { type BenchmarkContext, benchmark } from './benchmark.ts'
import { ofBacklog, ofFollowing, ofSweep, type Turns } from './observe/figures.ts'
import { GiftChain } from './observe/gift-chain.ts'
import { readUnswept, type Swept, sweepAll } from './observe/sweep-all.ts'
import { type FollowedShape, type Turn, turnOf } from './observe/turn.ts'
import type { Figure } from './report/result.ts'

interface ObserveSizes extends FollowedShape {
  readonly tokens: number
  readonly backlogBlocks: number
  readonly rounds: number
  readonly pairs: number
  readonly sweptBlockTransfers: number
  readonly defaultBlocks: number
}

/** Nothing but metadata and code is asked of contracts. */
const nothingObserved = {
  sampledCallsMax: 0,
  sweptPairsMax: 0,
  checkedPairsMax: 0,
  observedBalancesMax: 0,
  dueBalancesMax: 0,
}
const kinds = { without: nothingObserved, with: {} } as const
/** Pairs of a question: by default, and as many as the setting takes. */
const defaultBudget = ingestorLimits.sweptPairsMax
const { values: settable } = sourceSettings.sweptPairs
const greatestBudget = settable.type === 'integer' ? settable.maximum : defaultBudget
const warmUpBlocksMax = 40
const million = 1_000_000

export const observe = benchmark({
  name: 'observe',
  about: 'what observing balances costs the ingestor and its node, and how fast a sweep is',
  method:
    'The node is anvil, over HTTP; each block is announced when it is mined. A block is one ' +
    'transaction that gives units of all tokens to addresses that had none. The tokens are older ' +
    'than the log, so all pairs are unknown. An ingestor whose log is in memory and whose volume is a file reads a ' +
    'backlog, and then follows blocks at a steady pace: in turn without observation (no samples, ' +
    'no sweep) and with it, each time with a new log of the same backlog. Then a sweep asks for ' +
    'all pairs of a log, without samples, with the greatest --swept-pairs; and with the default, ' +
    'for some blocks. Empty blocks come as fast as it is done with each. The time of a million pairs on a chain with a block every 2 s ' +
    'follows from its pairs a block. Every value in the logs is compared with what was given until ' +
    'its block, a thousand of each log also with the node, each asked alone, and blocks with the ' +
    'number of their transfers. Processor time of the ingestor is that of its process, which also ' +
    'mines; that of the node includes mining.',
  limits:
    'The state of the node is small and in memory: a node that reads its disk takes longer for ' +
    'each call. Transfers explain all tokens; those that deviate are asked for after each block ' +
    'that moves them, too. Node, ingestor and disk are of one machine.',
  seed: 1,
  runsAlone: 'it takes a quarter of an hour, and a node that mines for it',
  needs: 'node',
  sizes: {
    tokens: { about: 'tokens, all in each block', full: 100, quick: 8 },
    transfersPerBlock: { about: 'transfers a block', full: 400, quick: 40 },
    backlogBlocks: { about: 'blocks of the backlog', full: 200, quick: 10 },
    followedBlocks: { about: 'blocks that are followed in each turn', full: 20, quick: 4 },
    intervalMs: { about: 'milliseconds between two of those', full: 2_000, quick: 100 },
    rounds: { about: 'turns without and with observation, and sweeps', full: 3, quick: 1 },
    pairs: {
      about: 'transfers, to as many holders, before the sweep',
      full: million,
      quick: 1_200,
    },
    sweptBlockTransfers: { about: 'transfers of each block with those', full: 4_000, quick: 400 },
    defaultBlocks: { about: 'blocks of a sweep with the default', full: 200, quick: 3 },
  },
  async run(sizes, context) {
    const chain = await GiftChain.start(sizes.tokens)
    const root = await mkdtemp(join(tmpdir(), 'foldscan-bench-'))
    try {
      const followed = await inTurn(sizes, { chain, root, context })
      const swept = await sweeps(sizes, { chain, root, context })
      return [...ofBacklog(followed), ...ofFollowing(followed), ...swept]
    } finally {
      await chain.node.stop()
      await rm(root, { recursive: true, force: true })
    }
  },
})

interface Parts {
  readonly chain: GiftChain
  readonly root: string
  readonly context: BenchmarkContext
}

async function inTurn(sizes: ObserveSizes, { chain, root, context }: Parts): Promise<Turns> {
  const fromBlock = chain.head + 1
  for (let at = 0; at < sizes.backlogBlocks; at++) await chain.mine(sizes.transfersPerBlock)
  context.progress(`${sizes.backlogBlocks} blocks are mined`)
  await warmUp(sizes, { chain, root, context })
  const turns: Record<keyof typeof kinds, Turn[]> = { without: [], with: [] }
  for (let round = 1; round <= sizes.rounds; round++) {
    for (const kind of ['without', 'with'] as const) {
      const folder = join(root, `${kind}-${round}`)
      await mkdir(folder)
      const options = { chain, topics: new MemoryTopics(), folder, fromBlock }
      turns[kind].push(await turnOf({ ...options, limits: kinds[kind] }, sizes))
      await rm(folder, { recursive: true })
      context.progress(`round ${round}, ${kind} observation`)
    }
  }
  return turns
}

/** A turn of few blocks: its code is compiled then. */
async function warmUp(sizes: ObserveSizes, { chain, root }: Parts): Promise<void> {
  const fromBlock = chain.head + 1 - Math.min(warmUpBlocksMax, sizes.backlogBlocks)
  const folder = join(root, 'warm')
  await mkdir(folder)
  const options = { chain, topics: new MemoryTopics(), folder, fromBlock, limits: kinds.with }
  await turnOf(options, { ...sizes, followedBlocks: 1 })
  await rm(folder, { recursive: true })
}

async function sweeps(
  { pairs, sweptBlockTransfers, rounds, defaultBlocks }: ObserveSizes,
  { chain, root, context }: Parts,
): Promise<readonly Figure[]> {
  const fromBlock = chain.head + 1
  for (let left = pairs; left > 0; left -= sweptBlockTransfers) {
    await chain.mine(Math.min(left, sweptBlockTransfers))
  }
  const unswept = { topics: new MemoryTopics(), folder: join(root, 'unswept') }
  await mkdir(unswept.folder)
  await readUnswept({ chain, ...unswept, fromBlock, limits: nothingObserved })
  context.progress(`${pairs} pairs are read`)
  const last = chain.head
  const sweep = async (sweptPairsMax: number, blocksMax?: number) => {
    const folder = join(root, 'swept')
    await cp(unswept.folder, folder, { recursive: true })
    const limits = { sampledCallsMax: 0, sweptPairsMax }
    const options = { chain, topics: copyOf(unswept.topics), folder, fromBlock, limits }
    const swept = await sweepAll(blocksMax === undefined ? options : { ...options, blocksMax })
    await rm(folder, { recursive: true })
    await chain.leaveAbove(last)
    context.progress(`swept ${swept.pairs} pairs, ${sweptPairsMax} a block`)
    return swept
  }
  const greatest: Swept[] = []
  const byDefault: Swept[] = []
  for (let round = 1; round <= rounds; round++) {
    greatest.push(await sweep(greatestBudget))
    byDefault.push(await sweep(defaultBudget, defaultBlocks))
  }
  return [...ofSweep(greatestBudget, greatest), ...ofSweep(defaultBudget, byDefault)]
}

/** What is appended to one is not in the other. */
function copyOf(topics: MemoryTopics): MemoryTopics {
  const copy = new MemoryTopics()
  for (const message of topics.of('blocks')) copy.of('blocks').push(message)
  return copy
}
