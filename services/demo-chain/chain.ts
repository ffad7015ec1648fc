import { z } from 'zod'
import { type Hash, hash } from '../../libs/chain/hex.ts'
import type { Action } from './action.ts'
import type { JsonRpc, RpcCall } from './json-rpc.ts'
import { setupBlocks } from './setup.ts'
import { submissionOf } from './submission.ts'
import { type BlockPlan, trafficOf } from './traffic.ts'
import { accountOf, copyOf, type World } from './world.ts'

/** The node takes the calls of a batch up side by side: few at a time keep their order. */
const callsPerBatchMax = 8

/** How far back a reorganisation can go; the same as what readers can undo, and one more. */
const historyBlocksMax = 260

export interface MinedBlock {
  readonly number: number
  readonly hash: Hash
  /** Seconds since 1970. */
  readonly time: number
  readonly transactions: number
}

export interface Chain {
  /** The newest block; null before the first. */
  head(): MinedBlock | null
  /** Sends a block's traffic and mines it. Times must rise. */
  mine(
    size: Pick<BlockPlan, 'transactionsMin' | 'transactionsMax'>,
    time: number,
  ): Promise<MinedBlock>
  /** Drops the newest blocks; what is mined from now on differs from what was. */
  rollBack(depth: number): Promise<void>
}

interface Remembered {
  readonly block: MinedBlock
  readonly worldBefore: World
  readonly actions: readonly Action[]
}

const minedForm = z.object({
  hash: z.string().transform(hash),
  number: z.string().transform(Number),
  timestamp: z.string().transform(Number),
  transactions: z.array(z.string()),
})

export interface ChainOptions {
  readonly rpc: JsonRpc
  readonly chainId: number
  readonly seed: number
  /** The world before the first block. */
  readonly genesis: World
}

export function chainOf({ rpc, chainId, seed, genesis }: ChainOptions): Chain {
  let world = genesis
  let branch = 0
  let history: Remembered[] = []
  /** What the last reorganisation orphaned, by block number: some of it comes again. */
  let orphans = new Map<number, readonly Action[]>()

  async function mine(size: Pick<BlockPlan, 'transactionsMin' | 'transactionsMax'>, time: number) {
    const number = (history.at(-1)?.block.number ?? 0) + 1
    const worldBefore = copyOf(world)
    const again = sendAgain(world, orphans.get(number) ?? [])
    const actions = [...again, ...trafficOf(world, { seed, number, branch, ...size })]
    await send(actions)
    // Two requests: the calls of a batch do not wait for one another.
    await unproved(actions, [{ method: 'evm_mine', params: [{ timestamp: time }] }])
    const [mined] = await rpc.batch([{ method: 'eth_getBlockByNumber', params: ['latest', false] }])
    const read = minedForm.parse(mined)
    if (read.number !== number || read.transactions.length !== actions.length) {
      const counts = `${read.transactions.length} of ${actions.length} transactions`
      throw new Error(
        `the demo chain mined block ${read.number} with ${counts}, not ${number} whole`,
      )
    }
    const block = { number, hash: read.hash, time: read.timestamp, transactions: actions.length }
    history = [...history.slice(1 - historyBlocksMax), { block, worldBefore, actions }]
    return block
  }

  async function send(actions: readonly Action[]): Promise<void> {
    const waiting: RpcCall[] = []
    const flush = async () => {
      while (waiting.length > 0) await rpc.batch(waiting.splice(0, callsPerBatchMax))
    }
    for (const action of actions) {
      const call = await submissionOf(world, chainId, action)
      if (action.envelope === 3) {
        await flush()
        await unproved([action], [call])
      } else waiting.push(call)
    }
    await flush()
  }

  /**
   * A blob's proof costs the node three seconds when it meets the first one. It does not ask for
   * it from an account that it is told to impersonate, and the transaction stays the same.
   */
  async function unproved(actions: readonly Action[], calls: readonly RpcCall[]): Promise<void> {
    const blobs = actions.filter(({ envelope }) => envelope === 3)
    const senders = blobs.map(({ sender }) => ({ params: [accountOf(world, sender)] }))
    const each = (method: string) => rpc.batch(senders.map((one) => ({ method, ...one })))
    await each('anvil_impersonateAccount')
    await rpc.batch(calls)
    await each('anvil_stopImpersonatingAccount')
  }

  return {
    head: () => history.at(-1)?.block ?? null,
    mine,
    async rollBack(depth) {
      const kept = history.slice(0, -depth)
      const dropped = history.slice(-depth)
      const [first] = dropped
      if (depth < 1 || !first || kept.length === 0 || first.block.number <= setupBlocks) {
        throw new Error(`the demo chain cannot roll ${depth} blocks back`)
      }
      await rpc.batch([{ method: 'anvil_rollback', params: [depth] }])
      orphans = new Map(dropped.map(({ block, actions }) => [block.number, actions]))
      world = copyOf(first.worldBefore)
      history = kept
      branch++
    },
  }
}

/** Those of the orphaned transactions that still fit, about half of the accounts' worth. */
function sendAgain(world: World, orphaned: readonly Action[]): Action[] {
  return orphaned.filter((action) => {
    const fits = action.sender % 2 === 0 && action.envelope !== 4
    if (!fits || world.nonces[action.sender] !== action.nonce) return false
    world.nonces[action.sender] = action.nonce + 1
    return true
  })
}
