import { z } from 'zod'
import type { Block, Transaction } from '../../chain/block.ts'
import { events } from '../../signals/events.ts'
import type { Log } from '../../signals/log.ts'
import { isAbsentMethod } from './absent-method.ts'
import type { RpcClient } from './rpc-client.ts'
import { rpcBytes } from './rpc-forms.ts'

/** As topic `blocks` allows. */
const errorCharactersMax = 1024

const traceForm = z.object({
  output: rpcBytes.nullish(),
  error: z.string().nullish(),
})

/**
 * Why transactions failed, by `debug_traceTransaction`, if the node has it. A node that has not
 * is asked once; one that has lost the state of a block leaves the reasons of that block out.
 */
export class FailureReasons {
  readonly #client: RpcClient
  readonly #log: Log
  #isAbsent = false

  constructor(client: RpcClient, log: Log) {
    this.#client = client
    this.#log = log
  }

  /** The block with the reasons of its failed transactions. @throws SourceTrouble */
  async of<B extends Block>(block: B): Promise<B> {
    const failed = block.transactions.filter((transaction) => transaction.status === 0)
    if (failed.length === 0 || this.#isAbsent) return block
    const answers = await this.#client.ask(
      failed.map(({ hash }) => ({
        method: 'debug_traceTransaction',
        params: [hash, { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }],
      })),
    )
    const reasons = new Map<Transaction['hash'], Reason>()
    failed.forEach(({ hash }, at) => {
      const answer = answers[at]
      if (answer && 'result' in answer) reasons.set(hash, reasonOf(answer.result))
      else if (answer && isAbsentMethod(answer.error)) this.#noteAbsence(answer.error.message)
    })
    return {
      ...block,
      transactions: block.transactions.map((transaction) => ({
        ...transaction,
        ...reasons.get(transaction.hash),
      })),
    }
  }

  #noteAbsence(message: string): void {
    if (this.#isAbsent) return
    this.#isAbsent = true
    const fields = { event: events.node.lacks, method: 'debug_traceTransaction' }
    this.#log.warn(fields, `the node cannot say why transactions failed: ${message}`)
  }
}

type Reason = Pick<Transaction, 'revertReason' | 'error'>

function reasonOf(said: unknown): Reason {
  const read = traceForm.safeParse(said)
  if (!read.success) return { revertReason: null, error: null }
  const { output, error } = read.data
  return {
    revertReason: output && output !== '0x' ? output : null,
    error: error ? error.slice(0, errorCharactersMax) : null,
  }
}
