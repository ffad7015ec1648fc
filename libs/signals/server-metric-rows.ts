import { counter, durationsBetween, gauge, histogram } from './metric-row.ts'

const projecting = ['up', 'projector'] as const

/** What processes measure of ClickHouse, Kafka and Redis. */
export const serverMetricRows = {
  blockStageSeconds: histogram({
    name: 'foldscan_block_stage_seconds',
    labels: ['stage'],
    unit: 's',
    buckets: durationsBetween(0.01, 30),
    exportedBy: ['up', 'ingestor', 'projector', 'api'],
    help: 'Age of new blocks since the ingestor had them, once published, stored, announced and visible',
  }),
  insertSeconds: histogram({
    name: 'foldscan_insert_seconds',
    labels: ['table'],
    unit: 's',
    buckets: durationsBetween(0.001, 30),
    exportedBy: projecting,
    help: 'Duration of an insert into ClickHouse, acknowledged or failed',
  }),
  insertFailures: counter({
    name: 'foldscan_insert_failures_total',
    labels: ['table', 'reason'],
    unit: 'inserts',
    exportedBy: projecting,
    help: 'Failed inserts into ClickHouse: they are repeated',
  }),
  appendSeconds: histogram({
    name: 'foldscan_append_seconds',
    labels: ['topic'],
    unit: 's',
    buckets: durationsBetween(0.001, 30),
    exportedBy: ['up', 'ingestor', 'projector'],
    help: 'Duration of an append to a topic, acknowledged or failed',
  }),
  redisSeconds: histogram({
    name: 'foldscan_redis_seconds',
    labels: ['purpose'],
    unit: 's',
    buckets: durationsBetween(0.0001, 0.3),
    exportedBy: ['projector', 'api'],
    help: 'Duration of a round trip to Redis, answered or failed',
  }),
  clickhouseUnavailable: gauge({
    name: 'foldscan_clickhouse_unavailable',
    labels: [],
    unit: '0 or 1',
    exportedBy: ['up', 'projector', 'api'],
    help: '1 while ClickHouse is unavailable',
  }),
  cacheFailures: counter({
    name: 'foldscan_cache_failures_total',
    labels: ['cache', 'reason'],
    unit: 'operations',
    exportedBy: ['projector', 'api'],
    help: 'Failed operations on a shared cache',
  }),
  cacheUnavailable: gauge({
    name: 'foldscan_cache_unavailable',
    labels: ['cache'],
    unit: 'servers',
    exportedBy: ['projector', 'api'],
    help: 'Servers of a shared cache that are unavailable and not used',
  }),
}
