import { join } from 'node:path'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import type { HttpHandler } from '../../libs/ports/http.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { encodeMessage } from '../../libs/topics/codec.ts'
import { importSignatures } from '../../services/cli/operate/import/import-abis.ts'
import { importTokens } from '../../services/cli/operate/import/import-tokens.ts'
import type { ImportKind } from '../../services/cli/operate/import/imported.ts'
import { readImport } from '../../services/cli/operate/import/read-import.ts'
import { type EmbeddedServices, startEmbedded } from '../oracle/embedded-services.ts'
import { consecutiveBlocks } from '../support/mainnet-block.ts'
import { mainnetId, mainnetMessages } from '../support/mainnet-messages.ts'
import { mainnetFolder } from '../support/mainnet-truth.ts'
import { until } from '../support/until.ts'

/** The API on the real blocks of `test/mainnet`, with the names and signatures beside them. */
export interface MainnetServer {
  /** Where it listens. */
  readonly origin: string
  readonly get: EmbeddedServices['get']
  stop(): Promise<void>
}

const tether = '0xdac17f958d2ee523a2206206994597c13d831ec7'
/** Emits an event that only an imported signature decodes. */
const vault = '0xf326e4de8f66a0bdc0970b79e0924e33c79f1915'

/** @param seen is called with the status of each response over HTTP */
export async function mainnetServer(seen?: (status: number) => void): Promise<MainnetServer> {
  const embedded = await startEmbedded(mainnetId)
  await importInto(embedded, importTokens, 'tokens.csv')
  await importInto(embedded, importSignatures, 'signatures.csv')
  const messages = await mainnetMessages(consecutiveBlocks)
  const wire = messages.map((message) => ({ key: '1', value: encodeMessage(message) }))
  await embedded.eventLog.append('blocks', wire)
  await embedded.reached(messages.length, consecutiveBlocks.at(-1) ?? 0)
  const shows = async (path: string, text: string) =>
    JSON.stringify((await embedded.get(path)).body).includes(text)
  await until('names', () => shows(`/api/v2/tokens/${tether}`, 'Tether USD'))
  await until('signatures', () => shows(`/api/v2/addresses/${vault}/logs`, 'SafeReceived'))
  const handler: HttpHandler = async (request) => {
    const response = await embedded.handler(request)
    seen?.(response.status)
    return response
  }
  const server = await uwsServer({ port: 0, log: silentLog, handler })
  return {
    origin: `http://127.0.0.1:${server.port}`,
    get: embedded.get,
    async stop() {
      await server.close()
      await embedded.stop()
    },
  }
}

/** As `foldscan import` does. */
async function importInto({ eventLog }: EmbeddedServices, kind: ImportKind, name: string) {
  const read = await readImport(kind, [join(mainnetFolder, name)], { time: 0, chainId: mainnetId })
  const facts = read.facts.map(({ key, message }) => ({ key, value: encodeMessage(message) }))
  await eventLog.append(kind.topic, facts)
}
