import { clickhouseStore } from '../../../libs/adapters/clickhouse/clickhouse-store.ts'
import { changeableSettings } from '../../../libs/adapters/clickhouse/serving-settings.ts'
import type { Store } from '../../../libs/ports/store.ts'
import { type ClickhouseAddress, withAccessCheck } from './denied.ts'

/**
 * Queries the tables once, as a user who may only read them.
 * @throws StartupError if access is denied, StoreMissing if there are no tables, StoreUnavailable
 */
export const withTables = <T>(
  address: ClickhouseAddress,
  query: (store: Store) => Promise<T>,
): Promise<T> =>
  withAccessCheck(address, async () => {
    const servingNames = await changeableSettings(address)
    const store = clickhouseStore({ ...address, changeableSettings: servingNames })
    return query(store).finally(() => store.close())
  })
