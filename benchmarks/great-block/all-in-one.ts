import { once } from 'node:events'
import { join } from 'node:path'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import { uwsServer } from '../../libs/adapters/uws/uws-server.ts'
import { ledger } from '../../libs/projections/ledger/ledger.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startMetrics } from '../../libs/signals/metrics.ts'
import { startApi } from '../../services/api/api.ts'
import { startInMemory } from '../../services/ingestor/testing/start-in-memory.ts'
import { startProjector } from '../../services/projector/projector.ts'
import { decodedReader } from '../../services/projector/reading/decoded-reader.ts'
import { chainWithGreatBlock } from '../../test/support/great-blocks.ts'
import { watchPauses } from '../../test/support/watch-pauses.ts'

/**
 * A process to be measured, composed as `foldscan up`: it publishes a chain, folds it by both
 * groups and answers the API. Sends its port after the first block; told to go, the source has a
 * great block and one above; sends what it says of its event loop once both are folded.
 */
const [, , megabytes, folder = '', options = ''] = process.argv
const source = chainWithGreatBlock('ids', Number(megabytes))
// More blocks come.
source.endsAtHead = false
const later = [...source.blocks].slice(1)
for (const [number] of later) source.blocks.delete(number)

const eventLog = lmdbEventLog({ folder: join(folder, 'log') })
const store = clickhouseStore(JSON.parse(options))
const reader = decodedReader(eventLog)
const ingestor = await startInMemory({ source, eventLog })
const projectors = [ledger, stateGroup].map((group) =>
  startProjector({
    ...{ group, eventLog, store, reader },
    state: lmdbStateStore({ folder: join(folder, group.name) }),
  }),
)
const failed = async ({ failed }: { readonly failed: Promise<Error> }) => {
  throw await failed
}
const folded = (sequence: number) =>
  Promise.race([
    ...[ingestor, ...projectors].map(failed),
    Promise.all(projectors.map((one) => one.waitFor(sequence))),
  ])
await folded(1)
const metrics = startMetrics()
const api = await startApi({
  store,
  eventLog,
  chainId: source.chainId,
  log: silentLog,
  metrics,
})
const server = await uwsServer({ port: 0, handler: api.handler, log: silentLog })

process.send?.({ port: server.port })
await once(process, 'message')
const pauses = watchPauses()
for (const [number, block] of later) source.blocks.set(number, block)
source.grow(1)
await folded(1 + later.length + 1)
// It goes on answering until it is ended.
process.send?.(pauses.end())
