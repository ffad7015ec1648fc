import { setTimeout as pause } from 'node:timers/promises'
import { checkObserved } from './check-observed.ts'
import type { GiftChain } from './gift-chain.ts'
import {
  type IngestorRun,
  type IngestorRunOptions,
  type UsedNow,
  withIngestor,
} from './ingestor-run.ts'

export interface FollowedShape {
  readonly transfersPerBlock: number
  readonly followedBlocks: number
  /** Between two blocks. */
  readonly intervalMs: number
}

/** Of one turn, a backlog and then blocks one at a time. */
export interface Turn {
  readonly backlogPerSecond: number
  readonly backlogCpuMs: number
  /** From announced by the node to published, of each block that was followed. */
  readonly delaysMs: readonly number[]
  /** Most blocks that were mined and not published, just after one was mined. */
  readonly behind: number
  /** Of a block that was followed. */
  readonly perBlock: UsedNow
  readonly observedPerBlock: number
  readonly checkedAnswers: number
}

/** Blocks before those that are counted: code is compiled. */
const warmUpBlocks = 3

/** Reads all blocks of the chain from one on, then follows it; what it mines is left at the end. */
export async function turnOf(options: IngestorRunOptions, shape: FollowedShape): Promise<Turn> {
  const { chain, fromBlock } = options
  const last = chain.head
  const turn = await withIngestor(options, async (run) => {
    const start = run.used()
    await run.published(last)
    const end = run.used()
    await run.node.idleAt(last)
    const followed = await follow(chain, run, shape)
    await run.ingestor.stop()
    const checked = await checkObserved(run.eventLog, chain, fromBlock)
    const publishedAt = (block: number) => {
      const at = run.appendedAt.get(checked.blocks.get(block)?.offset ?? -1)
      if (at === undefined) throw new Error(`block ${block} was not published`)
      return at
    }
    const count = last - fromBlock + 1
    const firstCounted = last + warmUpBlocks + 1
    return {
      backlogPerSecond: (count * 1_000) / (publishedAt(last) - start.atMs),
      backlogCpuMs: (end.cpuMs - start.cpuMs) / count,
      delaysMs: followed.mined.map(({ block, minedAt }) => publishedAt(block) - minedAt),
      behind: followed.behind,
      perBlock: followed.perBlock,
      observedPerBlock:
        (checked.observed - (checked.blocks.get(firstCounted)?.valuesBefore ?? 0)) /
        shape.followedBlocks,
      checkedAnswers: checked.checkedAnswers,
    }
  })
  await chain.leaveAbove(last)
  return turn
}

/** At a steady pace, whether those before are published or not. */
async function follow(
  chain: GiftChain,
  { ingestor, node, used }: IngestorRun,
  { transfersPerBlock, followedBlocks, intervalMs }: FollowedShape,
) {
  const mine = async () => {
    const block = await chain.mine(transfersPerBlock)
    const minedAt = performance.now()
    node.announce()
    return { block, minedAt }
  }
  for (let warm = 0; warm < warmUpBlocks; warm++) await node.idleAt((await mine()).block)
  const mined: { readonly block: number; readonly minedAt: number }[] = []
  let behind = 0
  const before = used()
  const first = performance.now() + intervalMs
  for (let at = 0; at < followedBlocks; at++) {
    await pause(Math.max(0, first + at * intervalMs - performance.now()))
    const last = await mine()
    behind = Math.max(behind, last.block - (ingestor.status().block ?? -1))
    mined.push(last)
  }
  await node.idleAt(chain.head)
  return { mined, behind, perBlock: usedBetween(before, used(), followedBlocks) }
}

/** For each of so many. */
export const usedBetween = (before: UsedNow, after: UsedNow, count: number): UsedNow => {
  const each = (name: keyof UsedNow) => (after[name] - before[name]) / count
  return {
    atMs: each('atMs'),
    cpuMs: each('cpuMs'),
    nodeCpuMs: each('nodeCpuMs'),
    requests: each('requests'),
    calls: each('calls'),
    contractCalls: each('contractCalls'),
  }
}
