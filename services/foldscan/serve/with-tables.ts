import { clickhouseStore } from '../../../libs/adapters/clickhouse/clickhouse-store.ts'
import { settingsLeftToUs } from '../../../libs/adapters/clickhouse/serving-settings.ts'
import type { Store } from '../../../libs/ports/store.ts'
import { type NamedAddress, permitted } from './denied.ts'

/**
 * Queries the tables once, as a user who may only read them.
 * @throws Refusal where access is denied; StoreMissing where there are no tables; StoreUnavailable
 */
export const withTables = <T>(
  address: NamedAddress,
  query: (store: Store) => Promise<T>,
): Promise<T> =>
  permitted(address, async () => {
    const servingNames = await settingsLeftToUs(address)
    const store = clickhouseStore({ ...address, servingNames })
    return query(store).finally(() => store.close())
  })
