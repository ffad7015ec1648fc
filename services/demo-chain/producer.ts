import { z } from 'zod'
import { type Hash, hash } from '../../libs/chain/hex.ts'
import type { PreparedTransaction } from './action.ts'
import type { BatchedCall, JsonRpc } from './json-rpc.ts'
import { submissionOf } from './submission.ts'
import { accountOf, type World } from './world.ts'

/** The node takes the calls of a batch up side by side: few at a time keep their order. */
const callsPerBatchMax = 8

export interface MinedBlock {
  readonly number: number
  readonly hash: Hash
  /** Seconds since 1970. */
  readonly time: number
  readonly transactions: number
}

/** Makes blocks at the node. */
export interface Producer {
  newest(): Promise<MinedBlock>
  /** Sends transactions, in their order, and mines them. Times must rise. */
  produce(world: World, actions: readonly PreparedTransaction[], time: number): Promise<MinedBlock>
  rollBack(depth: number): Promise<void>
}

const blockForm = z
  .object({
    hash: z.string().transform(hash),
    number: z.string().transform(Number),
    timestamp: z.string().transform(Number),
    transactions: z.array(z.string()),
  })
  .transform(
    ({ timestamp, transactions, ...rest }): MinedBlock => ({
      ...rest,
      time: timestamp,
      transactions: transactions.length,
    }),
  )

export function producerAt(rpc: JsonRpc, chainId: number): Producer {
  const newest = async () => {
    const [block] = await rpc.batch([{ method: 'eth_getBlockByNumber', params: ['latest', false] }])
    return blockForm.parse(block)
  }
  return {
    newest,
    async produce(world, actions, time) {
      const waiting: BatchedCall[] = []
      const flush = async () => {
        while (waiting.length > 0) await rpc.batch(waiting.splice(0, callsPerBatchMax))
      }
      for (const action of actions) {
        const call = await submissionOf(world, chainId, action)
        if (action.envelope !== 3) {
          waiting.push(call)
          continue
        }
        await flush()
        await unproved(rpc, blobSenders(world, [action]), call)
      }
      await flush()
      const mining = { method: 'evm_mine', params: [{ timestamp: time }] }
      await unproved(rpc, blobSenders(world, actions), mining)
      // A request of its own: the calls of a batch do not wait for one another.
      return newest()
    },
    async rollBack(depth) {
      await rpc.batch([{ method: 'anvil_rollback', params: [depth] }])
    },
  }
}

const blobSenders = (world: World, actions: readonly PreparedTransaction[]) =>
  actions
    .filter(({ envelope }) => envelope === 3)
    .map(({ sender }) => ({ params: [accountOf(world, sender)] }))

/**
 * A blob's proof costs the node three seconds when it meets the first one. It does not ask for
 * it from an account that it is told to impersonate, and the transaction stays the same.
 */
async function unproved(
  rpc: JsonRpc,
  senders: readonly { readonly params: readonly unknown[] }[],
  call: BatchedCall,
): Promise<void> {
  const each = (method: string) => rpc.batch(senders.map((one) => ({ method, ...one })))
  await each('anvil_impersonateAccount')
  await rpc.batch([call])
  await each('anvil_stopImpersonatingAccount')
}
