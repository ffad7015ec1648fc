import pTimeout from 'p-timeout'
import { sourceOver, transportTo } from '../../libs/adapters/rpc/rpc-source.ts'
import { type RpcTransport, rpcLimits } from '../../libs/adapters/rpc/transport/rpc-transport.ts'
import type { Observation } from '../../libs/chain/block.ts'
import type { ChainSource } from '../../libs/ports/chain-source.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { inPlaceOf } from './in-place-of.ts'

/** What a node was asked since the start. */
export interface AskedOfNode {
  readonly requests: number
  /** Of any method, in those. */
  readonly calls: number
  /** `eth_call` among them. */
  readonly contractCalls: number
}

/** Called with each answer to a question in the background. */
export type OnSwept = (observation: Observation) => void

/** A node as a source, and what is asked of it. */
export interface CountedSource {
  readonly source: ChainSource
  /** How long each question in the background took, in ms. */
  readonly backgroundMs: readonly number[]
  asked(): AskedOfNode
  /** Says that there is a new head, as a subscription of the node does. */
  announce(): void
  /** Resolves when an ingestor has published a block, and has no question of it left. */
  idleAt(block: number): Promise<void>
}

/** A busy machine takes its time. */
const idleMaxMs = 2 * 60_000

/**
 * Over HTTP, and heads are announced by who mines: over WebSocket a small message of anvil waits
 * until the one before it is acknowledged, 40 ms, which says nothing of other nodes.
 */
export async function countedSource(url: string, onSwept: OnSwept): Promise<CountedSource> {
  const asked = { requests: 0, calls: 0, contractCalls: 0 }
  let isMissed = false
  let announce = () => {
    isMissed = true
  }
  const transport = transportTo(url, rpcLimits)
  const counting: RpcTransport = {
    async send(calls, options) {
      asked.requests += 1
      asked.calls += calls.length
      asked.contractCalls += calls.filter(({ method }) => method === 'eth_call').length
      return transport.send(calls, options)
    },
    async subscribeHeads(onHead) {
      announce = () => onHead(false)
      if (isMissed) announce()
    },
    close: () => transport.close(),
  }
  const plain = await sourceOver(counting, rpcLimits, { log: silentLog })
  const { source, backgroundMs, idleAt } = watched(plain, onSwept)
  return { source, backgroundMs, asked: () => ({ ...asked }), announce: () => announce(), idleAt }
}

function watched(source: ChainSource, onSwept: OnSwept) {
  const backgroundMs: number[] = []
  let [open, waitsAbove, wanted] = [0, -1, Number.POSITIVE_INFINITY]
  let wake: () => void = () => {}
  const look = () => {
    if (open === 0 && waitsAbove >= wanted) wake()
  }
  const observe: ChainSource['observe'] = async (question, urgency) => {
    const startedAt = performance.now()
    open += 1
    try {
      const answer = await source.observe(question, urgency)
      if (urgency === 'background') {
        backgroundMs.push(performance.now() - startedAt)
        if (answer !== null) onSwept(answer.observation)
      }
      return answer
    } finally {
      open -= 1
      look()
    }
  }
  const waitAbove: ChainSource['waitAbove'] = (number, signal) => {
    waitsAbove = number
    look()
    return source.waitAbove(number, signal)
  }
  return {
    source: inPlaceOf(source, { observe, waitAbove }),
    backgroundMs,
    idleAt(block: number): Promise<void> {
      wanted = block
      const idle = new Promise<void>((resolve) => {
        wake = resolve
      })
      look()
      const message = `the ingestor has work of block ${block} after ${idleMaxMs} ms`
      return pTimeout(idle, { milliseconds: idleMaxMs, message })
    },
  }
}
