import { expect, test } from 'vitest'
import { type Store, StoreUnavailable } from '../../../libs/ports/store.ts'
import { events } from '../../../libs/signals/events.ts'
import type { LogFields } from '../../../libs/signals/log.ts'
import { RowSink } from '../../../libs/tables/declare/row-binary.ts'
import { warnIfUntested } from './warn-if-untested.ts'

/** Fields of the warnings of a server that answers with this version; null: with a refusal. */
async function warningsOf(version: string | null): Promise<LogFields[]> {
  const store: Store = {
    async query() {
      if (version === null) throw new StoreUnavailable('not granted')
      const sink = new RowSink()
      sink.text(version)
      return Buffer.from(sink.bytes())
    },
    insert: async () => {},
    execute: async () => {},
    ping: async () => {},
    close: async () => {},
  }
  const warnings: LogFields[] = []
  await warnIfUntested({ warn: (fields) => void warnings.push(fields) }, store)
  return warnings
}

test.each(['26.6.9.1', '25.12.1.1', '9.99'])('a server of version %s is named', async (version) => {
  expect(await warningsOf(version)).toEqual([{ event: events.clickhouse.untested, version }])
})

test.each(['26.7.1.1', '26.10.1.1', '27.1.1.1', '', null])(
  'nothing is said of version %s',
  async (version) => expect(await warningsOf(version)).toEqual([]),
)
