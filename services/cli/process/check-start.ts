import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { listBlockFiles } from '../../../libs/adapters/folder/block-files.ts'
import { whyNotListening } from '../../../libs/adapters/uws/why-not-listening.ts'
import { isUrl } from '../../../libs/chain/parsed-url.ts'
import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { redacted } from '../../../libs/signals/logger.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'

/**
 * What makes a start useless and is known at once, before anything is imported or begins. It
 * imports little itself: on a busy machine the rest takes many seconds.
 */

/** Where a process listens, and the flags that choose another place. */
export interface ListeningPlace {
  readonly host: string
  readonly port: number
  readonly flags: 'host and port' | 'health-host and health-port'
}

/** @param because `cannot listen on HOST:PORT: REASON` */
export function cannotListen(because: string, flags: ListeningPlace['flags']): StartupError {
  const [host, port] = flags.split(' and ')
  return new StartupError(
    `Foldscan ${because}. --${port} chooses another port (0: a free one), --${host} another address.`,
  )
}

/** @throws StartupError where it cannot listen */
async function checkPlace({ host, port, flags }: ListeningPlace): Promise<void> {
  if (port === 0) return
  const why = await whyNotListening(host, port)
  if (why !== null) throw cannotListen(`cannot listen on ${host}:${port}: ${why}`, flags)
}

const checkApi = ({ host, port }: SettingsOf<'api' | 'up'>) =>
  checkPlace({ host, port, flags: 'host and port' })

type OfServices = SettingsOf<'ingestor' | 'enricher' | 'projector' | 'api'>

/** Of each service. @throws StartupError */
export const checkHealth = ({ healthHost: host, healthPort: port }: OfServices): Promise<void> =>
  checkPlace({ host, port, flags: 'health-host and health-port' })

type SourceForm = { readonly kind: 'demo' | 'node' } | { readonly kind: 'folder'; folder: string }

const nodeScheme = /^(?:https?|wss?):\/\//i

/** What `--source` means. @throws StartupError if it means nothing */
export function sourceForm(source: string): SourceForm {
  if (source === 'demo') return { kind: 'demo' }
  if (nodeScheme.test(source)) {
    if (isUrl(source)) return { kind: 'node' }
    throw new StartupError(`The source ${redacted(source)} is no valid URL.`)
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) {
    throw new StartupError(
      `The source ${redacted(source)} cannot be reached: a node needs http://, https://, ws:// or wss://.`,
    )
  }
  const folder = resolve(source)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StartupError(
      `The source '${source}' is neither 'demo', nor a URL, nor a folder: there is no folder ${folder}.`,
    )
  }
  return { kind: 'folder', folder }
}

/** @throws with one sentence about the source */
export async function checkSource({ source }: Pick<SettingsOf<'up'>, 'source'>): Promise<void> {
  const form = sourceForm(source)
  if (form.kind === 'folder') await listBlockFiles(form.folder)
}

/** @throws StartupError */
export async function checkUp(settings: SettingsOf<'up'>): Promise<void> {
  await checkSource(settings)
  if (settings.metadata && sourceForm(settings.source).kind === 'folder') {
    throw new StartupError(
      `--metadata calls the contracts of a node: --source http://…, not the folder '${settings.source}'.`,
    )
  }
  if (settings.audit && sourceForm(settings.source).kind === 'folder') {
    throw new StartupError(
      `--audit asks a node for its state: --source http://…, not the folder '${settings.source}'.`,
    )
  }
  gatewaysOf(settings)
  await checkPrices(settings)
  await checkApi(settings)
}

/** @throws StartupError */
export async function checkIngestor(settings: SettingsOf<'ingestor'>): Promise<void> {
  await checkSource(settings)
  await checkHealth(settings)
}

/** @throws StartupError */
export async function checkEnricher(settings: SettingsOf<'enricher'>): Promise<void> {
  if (sourceForm(settings.source).kind !== 'node') {
    throw new StartupError(
      `An enricher calls the contracts of a node: --source http://…, not '${redacted(settings.source)}'.`,
    )
  }
  gatewaysOf(settings)
  await checkPrices(settings)
  await checkHealth(settings)
}

/** @throws StartupError */
async function checkPrices({ priceSource }: Pick<SettingsOf<'up'>, 'priceSource'>): Promise<void> {
  if (priceSource === null) return
  const { priceSourceOf } = await import('./price-source-of.ts')
  priceSourceOf(priceSource)
}

const gatewaysMax = 3

/** Where documents of IPFS and Arweave are fetched. @throws StartupError */
export function gatewaysOf({
  ipfsGateways,
  arweaveGateway,
}: Pick<SettingsOf<'enricher' | 'up'>, 'ipfsGateways' | 'arweaveGateway'>) {
  if (ipfsGateways.length > gatewaysMax) {
    throw new StartupError(`--ipfs-gateways has ${ipfsGateways.length} URLs, above ${gatewaysMax}.`)
  }
  for (const url of [...ipfsGateways, arweaveGateway]) {
    if (isUrl(url) && /^https?:\/\/[^?#@]*\/$/i.test(url)) continue
    const sentence = `The gateway '${redacted(url)}' is no http:// or https:// URL that ends with /`
    throw new StartupError(`${sentence}: see --ipfs-gateways and --arweave-gateway.`)
  }
  return { ipfsGateways, arweaveGateway }
}

/** @throws StartupError */
export async function checkApiService(settings: SettingsOf<'api'>): Promise<void> {
  const { auditSource } = settings
  if (auditSource !== null && !(isUrl(auditSource) && nodeScheme.test(auditSource))) {
    // Not repeated: it may contain a password.
    throw new StartupError('--audit-source is no http://, https://, ws:// or wss:// URL of a node.')
  }
  await checkApi(settings)
  await checkHealth(settings)
}
