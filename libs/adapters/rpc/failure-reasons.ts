import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Block, Transaction } from '../../chain/block.ts'
import type { Hash } from '../../chain/hex.ts'
import { SourceError } from '../../ports/chain-source.ts'
import { events } from '../../signals/events.ts'
import type { BestEffortCalls } from './best-effort-calls.ts'
import { bytesSchema, countSchema } from './blocks/rpc-schemas.ts'
import { NodeCapability } from './node-capabilities.ts'
import type { RpcClient } from './transport/rpc-client.ts'
import { isMethodMissing, isRateLimit } from './transport/rpc-transport.ts'

/** As topic `blocks` allows. */
const errorCharactersMax = 1024

const traceForm = z.object({
  output: bytesSchema.nullish(),
  error: z.string().nullish(),
})

/** Whatever else comes in a batch is no trace: it is asked for alone. */
const isTrace = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && traceForm.safeParse(result).success

/** Of one block, if the node fails each time. */
const triesMax = 3
const triedMax = 64

/**
 * Why transactions failed, by `debug_traceTransaction`, if the node has it. What a transaction
 * returns and how long it takes to run again is up to its contract: a reason that does not come
 * within the bounds is left out.
 */
export class FailureReasons {
  readonly #client: RpcClient
  readonly #calls: BestEffortCalls
  readonly #tracing = new NodeCapability()
  /** Blocks whose traces failed, with the number of attempts. */
  readonly #tried = new LRUCache<Hash, number>({ max: triedMax })

  constructor(client: RpcClient, calls: BestEffortCalls) {
    this.#client = client
    this.#calls = calls
  }

  /** The block with the reasons of its failed transactions. @throws SourceError */
  async attach<B extends Block>(block: B): Promise<B> {
    const failed = block.transactions.filter((transaction) => transaction.status === 0)
    if (failed.length === 0 || !this.#tracing.isWorthTrying()) return block
    const tries = this.#tried.get(block.hash) ?? 0
    if (tries >= triesMax) return block
    const reasons = await this.#ask(failed).catch((cause: unknown) => {
      if (cause instanceof SourceError) this.#tried.set(block.hash, tries + 1)
      throw cause
    })
    if (reasons === 'absent') this.#noteAbsence(block.number)
    else {
      if (reasons.size > 0) this.#tracing.answered()
      return {
        ...block,
        transactions: block.transactions.map((transaction) => ({
          ...transaction,
          ...reasons.get(transaction.hash),
        })),
      }
    }
    return block
  }

  async #ask(failed: readonly Transaction[]): Promise<ReadonlyMap<Hash, Reason> | 'absent'> {
    const { limits } = this.#client
    const groups = failed.map(({ hash }) => [
      {
        method: 'debug_traceTransaction',
        params: [hash, { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }],
      },
    ])
    const results = await this.#calls.withDeadline(limits.tracesTotalMs, (signal) =>
      this.#calls.ask(groups, {
        kind: 'trace',
        isFinal: (answer) =>
          'result' in answer ? isTrace(answer.result) : !isRateLimit(answer.error),
        isNodeHealthy: async () => {
          await this.#client.call(countSchema, 'eth_blockNumber', [])
          return true
        },
        batchCallsMax: limits.traceBatchCallsMax,
        timeoutMs: limits.traceTimeoutMs,
        responseBytesMax: limits.traceBytesMax,
        signal,
      }),
    )
    const reasons = new Map<Hash, Reason>()
    let absent = 0
    for (const [at, { hash }] of failed.entries()) {
      const answer = results?.[at]?.answers[0]
      if (answer && 'result' in answer) reasons.set(hash, reasonOf(answer.result))
      else if (answer && isMethodMissing(answer.error)) absent++
    }
    return absent === failed.length ? 'absent' : reasons
  }

  #noteAbsence(block: number): void {
    if (!this.#tracing.refused(block)) return
    const fields = { event: events.node.unsupported, method: 'debug_traceTransaction' }
    const sentence = 'the node has no debug_traceTransaction: reasons of failures stay unknown'
    this.#client.signals.log.warn(fields, sentence)
  }
}

type Reason = Pick<Transaction, 'revertReason' | 'error'>

function reasonOf(trace: unknown): Reason {
  const read = traceForm.safeParse(trace)
  if (!read.success) return { revertReason: null, error: null }
  const { output, error } = read.data
  return {
    revertReason: output && output !== '0x' ? output : null,
    error: error ? error.slice(0, errorCharactersMax) : null,
  }
}
