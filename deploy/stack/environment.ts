import type { ClickhouseServerAddress } from './clickhouse.ts'
import type { KafkaAddress } from './kafka.ts'
import type { RedisAddress } from './redis.ts'

export interface StackAddresses {
  readonly kafka: KafkaAddress
  readonly clickhouse: ClickhouseServerAddress
  readonly redis: RedisAddress
}

/** What our services take from their environment to find this stack. */
export const environmentOf = ({ kafka, clickhouse, redis }: StackAddresses) => ({
  FOLDSCAN_KAFKA_BROKERS: kafka.brokers.join(','),
  FOLDSCAN_KAFKA_REPLICATION_FACTOR: '1',
  FOLDSCAN_CLICKHOUSE_URL: clickhouse.url,
  FOLDSCAN_CLICKHOUSE_USER: clickhouse.username,
  FOLDSCAN_CLICKHOUSE_PASSWORD: clickhouse.password,
  FOLDSCAN_CLICKHOUSE_READ_USER: clickhouse.reader.username,
  FOLDSCAN_CLICKHOUSE_READ_PASSWORD: clickhouse.reader.password,
  FOLDSCAN_REDIS_URL: redis.url,
})
