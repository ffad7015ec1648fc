import { join } from 'node:path'
import { folderSource } from '../../libs/adapters/folder/folder-source.ts'
import { rpcSource } from '../../libs/adapters/rpc/rpc-source.ts'
import type { ChainSource } from '../../libs/ports/chain-source.ts'
import type { SettingsOf } from '../../libs/settings/settings.ts'
import { events } from '../../libs/signals/events.ts'
import type { Log } from '../../libs/signals/log.ts'
import type { Metrics } from '../../libs/signals/metrics.ts'
import { startDemoChain } from '../demo-chain/demo-chain.ts'
import { publishDemoUrl } from '../demo-chain/demo-url.ts'
import { sourceForm } from './process/check-start.ts'
import { lockFolder, prepareFolder } from './process/folder-lock.ts'
import type { Components } from './process/run-until-stopped.ts'
import { type ConsoleUi, logMining } from './up/console-ui.ts'

interface SourceOptions {
  readonly settings: SettingsOf<'up' | 'ingestor' | 'repair'>
  /** The data folder, absolute. */
  readonly folder: string
  readonly log: Log
  readonly metrics: Metrics
  readonly components: Components
  /** Waits for a new demo chain to be complete, instead of reading it while it is mined. */
  readonly waitsForBacklog?: boolean
  /** Progress of a demo chain; by default a line of the log now and then. */
  readonly onMining?: ConsoleUi['mining']
}

/** What `--source` means: `demo`, a node's URL, or a folder. @throws with one sentence */
export async function openSource(options: SourceOptions): Promise<ChainSource> {
  const source = await sourceOf(options.settings.source, options)
  if (options.settings.headerRules === 'linked') noteLinkedRules(options.log)
  options.components.add({ name: 'source', stop: () => source.close() })
  return source
}

function noteLinkedRules(log: Log): void {
  const sentence =
    'blocks are proved by numbers, parent hashes, counts and indexes only (--header-rules linked): ' +
    'what the node says of their hashes, logs and receipts is believed'
  log.warn({ event: events.node.linkedRules }, sentence)
}

function sourceOf(source: string, options: SourceOptions): Promise<ChainSource> {
  const form = sourceForm(source)
  const { headerRules } = options.settings
  if (form.kind === 'folder') return folderSource({ folder: form.folder, headerRules })
  return form.kind === 'demo' ? demoSource(options) : nodeSource(source, options)
}

const nodeSource = (url: string, { settings, log, metrics }: SourceOptions) =>
  rpcSource({
    url,
    log,
    metrics,
    headerRules: settings.headerRules,
    limits: {
      batchCallsMax: settings.nodeBatchCalls,
      requestsMax: settings.nodeRequests,
      callGas: settings.nodeCallGas,
    },
  })

/** A new demo chain is read while its backlog is still being mined: data shows up sooner. */
async function demoSource(options: SourceOptions): Promise<ChainSource> {
  const { settings, log, metrics, components } = options
  const folder = prepareFolder(join(options.folder, 'demo'))
  // Its own: `up` and an ingestor of a cluster may be given one data folder.
  const free = lockFolder(folder)
  components.add({ name: 'lock of the demo chain', stop: async () => free() })
  const url = await new Promise<string>((onOpen, reject) => {
    const starting = startDemoChain({
      folder,
      seed: settings.demoSeed,
      blockIntervalMs: settings.demoBlockIntervalMs,
      backlogTransactions: settings.demoBacklogTransactions,
      log: {
        info: (fields, sentence) => log.info({ event: events.demo.started, ...fields }, sentence),
        error: (fields, sentence) => log.error({ event: events.demo.exited, ...fields }, sentence),
      },
      ...(options.waitsForBacklog ? {} : { onOpen }),
      onMining: options.onMining ?? logMining(log),
    })
    let standing: { stop(): Promise<void> } | null = null
    starting.then((chain) => {
      standing = chain
      onOpen(chain.url)
    }, reject)
    components.add({
      name: 'demo chain',
      // One that does not stand yet is not waited for: its process follows ours into the end.
      stop: async () => standing?.stop(),
      failed: starting.then((chain) => chain.exited),
    })
  })
  components.add({ name: 'address of the demo chain', stop: publishDemoUrl(folder, url) })
  return rpcSource({ url, log, metrics })
}
