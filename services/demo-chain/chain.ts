import type { PreparedTransaction } from './action.ts'
import type { MinedBlock, Producer } from './producer.ts'
import { setupBlocks } from './setup.ts'
import { type BlockPlan, trafficOf } from './traffic.ts'
import { copyOf, type World } from './world.ts'

/** How far back a reorganisation can go: a little more than any reader can undo. */
const historyBlocksMax = 260

export type BlockSize = Pick<BlockPlan, 'transactionsMin' | 'transactionsMax'>

export interface ChainBuilder {
  /** The newest block; null before the first. */
  head(): MinedBlock | null
  /** Sends a block's traffic and mines it. Times must rise. */
  mine(size: BlockSize, time: number): Promise<MinedBlock>
  /** Goes over a block that the node holds already, to know what comes next. */
  retrace(size: BlockSize, known: Omit<MinedBlock, 'transactions'>): void
  /** Drops the newest blocks; what is mined from now on differs from what was. */
  rollBack(depth: number): Promise<void>
  /** The same for blocks that the node has dropped already. */
  retraceBack(depth: number): void
}

interface Remembered {
  readonly block: MinedBlock
  readonly worldBefore: World
  readonly actions: readonly PreparedTransaction[]
}

/** @param genesis the world before the first block */
export function chainOf(producer: Producer, seed: number, genesis: World): ChainBuilder {
  let world = genesis
  let branch = 0
  let history: Remembered[] = []
  /** What the last reorganisation orphaned, by block number: some of it comes again. */
  let orphans = new Map<number, readonly PreparedTransaction[]>()

  const nextNumber = () => (history.at(-1)?.block.number ?? 0) + 1

  function plan(size: BlockSize): Omit<Remembered, 'block'> {
    const number = nextNumber()
    const worldBefore = copyOf(world)
    const again = sendAgain(world, orphans.get(number) ?? [])
    const actions = [...again, ...trafficOf(world, { seed, number, branch, ...size })]
    return { worldBefore, actions }
  }

  function remember(one: Remembered): void {
    history.push(one)
    if (history.length > historyBlocksMax) history.shift()
  }

  function retraceBack(depth: number): void {
    const dropped = history.slice(-depth)
    const [first] = dropped
    if (depth < 1 || depth >= history.length || !first || first.block.number <= setupBlocks) {
      throw new Error(`the demo chain cannot roll ${depth} blocks back`)
    }
    orphans = new Map(dropped.map(({ block, actions }) => [block.number, actions]))
    world = copyOf(first.worldBefore)
    history = history.slice(0, -depth)
    branch++
  }

  return {
    head: () => history.at(-1)?.block ?? null,
    async mine(size, time) {
      const number = nextNumber()
      const planned = plan(size)
      const block = await producer.produce(world, planned.actions, time)
      checkWhole(block, number, planned.actions.length)
      remember({ ...planned, block })
      return block
    },
    retrace(size, known) {
      const planned = plan(size)
      remember({ ...planned, block: { ...known, transactions: planned.actions.length } })
    },
    async rollBack(depth) {
      retraceBack(depth)
      await producer.rollBack(depth)
    },
    retraceBack,
  }
}

function checkWhole(block: MinedBlock, number: number, transactions: number): void {
  if (block.number === number && block.transactions === transactions) return
  throw new Error(
    `the demo chain mined block ${block.number} with ${block.transactions} transactions, ` +
      `where block ${number} was to have ${transactions}`,
  )
}

/** Those of the orphaned transactions that still fit, about half of the accounts' worth. */
function sendAgain(world: World, orphaned: readonly PreparedTransaction[]): PreparedTransaction[] {
  return orphaned.filter((action) => {
    const fits = action.sender % 2 === 0 && action.envelope !== 4
    if (!fits || world.nonces[action.sender] !== action.nonce) return false
    world.nonces[action.sender] = action.nonce + 1
    return true
  })
}
