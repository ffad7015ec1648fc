import { describe } from 'vitest'
import { cluster, noCluster, ownPlace, ownStore } from '../support/cluster.ts'
import { watchedCache } from '../support/watched-cache.ts'
import { largePagesLaws } from './large-pages-laws.ts'

describe.skipIf(noCluster)('large pages of ClickHouse and Redis', () =>
  largePagesLaws(async () => {
    const place = ownPlace()
    const { store, drop } = await ownStore(place)
    const { cache, used } = watchedCache({ url: cluster().redis.url, prefix: place.redisPrefix })
    await used()
    return {
      store,
      cache,
      async drop() {
        await cache.close()
        await drop()
      },
    }
  }),
)
