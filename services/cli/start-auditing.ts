import { randomInt } from 'node:crypto'
import { type NodeReader, nodeReader } from '../../libs/adapters/rpc/node-reader.ts'
import { rpcLimits } from '../../libs/adapters/rpc/transport/rpc-transport.ts'
import { defaultCoinEmitters } from '../../libs/chain/coin-emitters.ts'
import type { SettingsOf } from '../../libs/settings/settings.ts'
import type { Log } from '../../libs/signals/log.ts'
import { pause } from '../../libs/signals/pause.ts'
import { StartupError } from '../../libs/signals/startup-error.ts'
import type { Api } from '../api/api.ts'
import type { AuditFigures } from './auditing/audit-figures.ts'
import { auditRounds } from './auditing/audit-rounds.ts'
import { pagesOfHandler } from './auditing/pages-of-handler.ts'
import { auditSample } from './operate/audit/audit-sample.ts'
import { indexedBlock } from './operate/audit/indexed-block.ts'
import type { Components } from './process/run-until-stopped.ts'

interface StartAuditingOptions {
  readonly settings: Pick<SettingsOf<'up' | 'api'>, 'auditCallsPerSecond' | 'coinEmitters'>
  /** Of the node; its secrets are in no line of the log. */
  readonly url: string
  readonly chainId: number
  readonly api: Pick<Api, 'uncached' | 'head'>
  readonly figures: AuditFigures
  readonly log: Log
  readonly components: Components
  /** Between two rounds; of tests. */
  readonly pauseMs?: number
}

/** Transactions, tokens and addresses of a round, so many of each. */
const sample = 20
/** 100 holders each: all of those of a token, so far as the time of a round lasts. */
const holderPagesMax = 10_000
/** With the pause before the next one, a difference is found within five minutes. */
const roundMs = 240_000
const seedEnd = 2 ** 32
/** Growing: where blocks come fast, rows are ahead of the block that is announced for longer. */
const looksPausesMs = [1_000, 2_000, 4_000, 8_000]
const pollMs = 1_000
const behindBlocksMax = 2

interface CatchingUp {
  readonly api: Pick<Api, 'head'>
  readonly node: NodeReader
  readonly signal: AbortSignal
}

/** Compares samples of what the API of this process shows with a node, until it is stopped. */
export function startAuditing(auditing: StartAuditingOptions): void {
  const { settings, api, log, figures, components, pauseMs } = auditing
  const stopping = new AbortController()
  const { signal } = stopping
  const coinEmitters = new Set<string>(settings.coinEmitters ?? defaultCoinEmitters)
  let reader: NodeReader | null = null
  const opened = async () => {
    reader ??= await openNode(auditing)
    // It was stopped meanwhile.
    if (signal.aborted) reader.close()
    return reader
  }
  const rounds = auditRounds({
    ...{ figures, log, signal, ...(pauseMs === undefined ? {} : { pauseMs }) },
    async round(onLook) {
      while (api.head() === null && !signal.aborted) await pause(pollMs, signal)
      const node = await opened()
      await caughtUp({ api, node, signal })
      const asked = { node, api: pagesOfHandler(api.uncached(), signal) }
      const indexed = await indexedBlock({ ...asked, token: null, signal })
      return auditSample({
        ...{ ...asked, indexed, token: null, signal, coinEmitters, sample, holderPagesMax, onLook },
        ...{ seed: randomInt(seedEnd), timeMs: roundMs, pausesMs: looksPausesMs },
      })
    },
  })
  components.add({
    name: 'audit',
    async stop() {
      stopping.abort()
      reader?.close()
      await rounds
    },
  })
}

/**
 * While a backlog is indexed, rows of many blocks can be read before the block is announced that a
 * page names: they would differ at each look.
 */
async function caughtUp({ api, node, signal }: CatchingUp): Promise<void> {
  const isBehind = async () => (await node.head()) - (api.head()?.block ?? 0) > behindBlocksMax
  while (!signal.aborted && (await isBehind())) await pause(pollMs, signal)
}

async function openNode({ settings, url, chainId, log }: StartAuditingOptions) {
  const { batchCallsMax, requestsMax, callGas } = rpcLimits
  const node = await nodeReader({
    ...{ url, log, limits: { batchCallsMax, requestsMax, callGas } },
    callsPerSecondMax: settings.auditCallsPerSecond,
  })
  if (node.chainId === chainId) return node
  node.close()
  throw new StartupError(`The node is of chain ${node.chainId}, what is indexed of ${chainId}.`)
}
