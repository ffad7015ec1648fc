import { type Store, StoreMissing } from '../../../libs/ports/store.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { type ClickhouseAddress, withTables } from '../serve/servers/clickhouse-access.ts'

/** @throws StartupError with what to do where there are no tables */
export async function withMigratedTables<T>(
  address: ClickhouseAddress,
  query: (store: Store) => Promise<T>,
): Promise<T> {
  try {
    return await withTables(address, query)
  } catch (error) {
    if (!(error instanceof StoreMissing)) throw error
    throw new StartupError(
      `Database ${address.database} has no tables yet: run \`foldscan migrate\` first.`,
    )
  }
}
