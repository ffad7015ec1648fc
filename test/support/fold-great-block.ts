import { join } from 'node:path'
import { clickhouseStore } from '../../libs/adapters/clickhouse/clickhouse-store.ts'
import { kafkaEventLog } from '../../libs/adapters/kafka/kafka-event-log.ts'
import { lmdbEventLog } from '../../libs/adapters/lmdb/lmdb-event-log.ts'
import { lmdbStateStore } from '../../libs/adapters/lmdb/lmdb-state-store.ts'
import type { Store } from '../../libs/ports/store.ts'
import { ledger } from '../../libs/projections/ledger/ledger.ts'
import { stateGroup } from '../../libs/projections/state/state-group.ts'
import { silentLog } from '../../libs/signals/log.ts'
import { startInMemory } from '../../services/ingestor/testing/start-in-memory.ts'
import { startProjector } from '../../services/projector/projector.ts'
import { decodedReader } from '../../services/projector/reading/decoded-reader.ts'
import { chainWithGreatBlock, greatKinds } from './great-blocks.ts'
import { appendReverts, lastSequence } from './revert-great-block.ts'
import { watchPauses } from './watch-pauses.ts'

/**
 * A process to be measured: publishes a chain with a great block into the log of a folder (or of
 * Kafka, options as JSON), or folds that log into a store (options as JSON; without them rows are
 * counted by nobody).
 */
const [, , role, kindName, megabytes, folder = '', options] = process.argv
const kind = greatKinds.find((each) => each === kindName)
if (kind === undefined) throw new Error(`no kind ${kindName}`)
const isOnKafka = role === 'ingest' && options !== undefined
const eventLog = isOnKafka
  ? kafkaEventLog({ ...JSON.parse(options), log: silentLog, compacted: [] })
  : lmdbEventLog({ folder: join(folder, 'log') })

const counting: Store = {
  insert: async () => {},
  query: async () => Buffer.alloc(0),
  execute: async () => {},
  ping: async () => {},
  close: async () => {},
}

const source = role === 'ingest' ? chainWithGreatBlock(kind, Number(megabytes)) : null
const last = role === 'ingest' ? 0 : await lastSequence(eventLog)
const pauses = watchPauses()
if (source !== null) {
  const ingestor = await startInMemory({ source, eventLog })
  const outcome = await Promise.race([ingestor.done, ingestor.failed])
  await ingestor.stop()
  if (outcome instanceof Error) throw outcome
} else if (role === 'revert') {
  await appendReverts(eventLog)
} else {
  const store = options === undefined ? counting : clickhouseStore(JSON.parse(options))
  const groups = role === 'both' ? [ledger, stateGroup] : [role === 'ledger' ? ledger : stateGroup]
  const reader = decodedReader(eventLog)
  const projectors = groups.map((group) => {
    const state = lmdbStateStore({ folder: join(folder, group.name) })
    return startProjector({ group, eventLog, store, state, reader })
  })
  await Promise.all(
    projectors.map(async (projector) => {
      const failed = projector.failed.then((error) => Promise.reject(error))
      await Promise.race([projector.waitFor(last), failed])
      await projector.stop()
    }),
  )
}
await eventLog.close()
process.stdout.write(`${JSON.stringify(pauses.end())}\n`)
process.exit(0)
