import type { Store } from '../../../libs/ports/store.ts'
import { events } from '../../../libs/signals/events.ts'
import type { Log } from '../../../libs/signals/log.ts'
import { readRows } from '../../../libs/tables/declare/read-rows.ts'

/** The oldest version that the tests run on; an older one is used with a warning. */
const leastTested = [26, 7] as const

/** Warns of an older server; one that does not tell its version is not named. */
export async function warnIfUntested(log: Pick<Log, 'warn'>, store: Store): Promise<void> {
  const [version = ''] = await readRows(store, { sql: 'SELECT version()' }, (source) =>
    source.text(),
  ).catch(() => [])
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [majorMin, minorMin] = leastTested
  if (version === '' || major > majorMin || (major === majorMin && minor >= minorMin)) return
  const sentence = `ClickHouse ${version} is older than any that this release was tested with`
  log.warn(
    { event: events.clickhouse.untested, version },
    `${sentence} (${leastTested.join('.')}): upgrade it`,
  )
}
