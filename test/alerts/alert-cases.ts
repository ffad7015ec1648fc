/** A series of Prometheus, and its values a minute apart, in promtool's notation. */
export type Series = Readonly<Record<string, string>>

/** Series under which an alert fires, and under which it does not. */
export interface AlertCase {
  /** When both are asked for, since the start of the series; long enough for every window. */
  readonly at: string
  readonly fires: Series
  /** Labels of the alert besides its severity. */
  readonly labels: Readonly<Record<string, string>>
  readonly silent: Series
}

const mainnet = 'namespace="explorer",release="mainnet"'
const place = { namespace: 'explorer', release: 'mainnet' }
const named = (name: string, ...labels: readonly string[]) =>
  `${name}{${[mainnet, ...labels].join(',')}}`

const requests = (status: string) => named('foldscan_requests_total', `status="${status}"`)
const bucket = (le: string) =>
  named('foldscan_request_seconds_bucket', 'route="transactions"', `le="${le}"`)
const published = named('foldscan_published_position')
const indexed = (group: string) => named('foldscan_indexed_position', `group="${group}"`)
const lag = (group: string) => named('foldscan_lag_seconds', `group="${group}"`)
const apiTime = (pod: string) => named('foldscan_api_indexed_time_seconds', `pod="${pod}"`)
const differing = (pod: string) => named('foldscan_audit_differing', `pod="${pod}"`)
const build = named('foldscan_build_info', 'command="ingestor"', 'version="1.2.3"', 'pod="a"')
const started = named('process_start_time_seconds', 'pod="a"')
const letters = named('foldscan_dead_letters_total', 'topic="labels"', 'reason="invalid"')
const copied = named('foldscan_volume_copy_time_seconds', 'group="state"')
const prices = (kind: string) => named('foldscan_price_time_seconds', `kind="${kind}"`)
const underReplicated = 'kafka_topic_partition_under_replicated_partition{namespace="kafka"}'
const parts = 'ClickHouseAsyncMetrics_MaxPartCountForPartition{instance="a"}'

/** By alert, with the default thresholds. */
export const alertCases: Readonly<Record<string, AlertCase>> = {
  FoldscanResponsesOutdated: {
    at: '30m',
    // Time begins at 0. One of two processes stands still from minute 26 on.
    fires: { [apiTime('a')]: '0+60x30', [apiTime('b')]: '0+60x26 1560x4' },
    labels: place,
    silent: { [apiTime('a')]: '0+60x30', [apiTime('b')]: '0+60x29 1740' },
  },
  FoldscanServerErrors: {
    at: '2h',
    fires: { [requests('200')]: '0+980x120', [requests('503')]: '0+20x120' },
    labels: place,
    // Errors that have ended, of an hour that was bad enough.
    silent: { [requests('200')]: '0+980x120', [requests('503')]: '0+20x110 2200x10' },
  },
  FoldscanResponsesSlow: {
    at: '30m',
    fires: { [bucket('1')]: '0+98x30', [bucket('3')]: '0+100x30', [bucket('+Inf')]: '0+100x30' },
    labels: { ...place, route: 'transactions' },
    silent: {
      [bucket('1')]: '0+995x30',
      [bucket('3')]: '0+1000x30',
      [bucket('+Inf')]: '0+1000x30',
    },
  },
  FoldscanGroupBehind: {
    at: '30m',
    fires: {
      [published]: '1000+5x30',
      [indexed('state')]: '900+5x30',
      [indexed('ledger')]: '1000+5x30',
    },
    labels: { ...place, group: 'state' },
    silent: {
      [published]: '1000+5x30',
      [indexed('state')]: '950+5x30',
      [indexed('dimensions')]: '7x30',
      [lag('state')]: '60x30',
    },
  },
  FoldscanIngestorBehind: {
    at: '30m',
    fires: {
      [named('foldscan_source_block')]: '1000+1x30',
      [named('foldscan_published_block')]: '949+1x30',
    },
    labels: place,
    silent: {
      [named('foldscan_source_block')]: '1000+1x30',
      [named('foldscan_published_block')]: '950+1x30',
    },
  },
  FoldscanGroupStuck: {
    at: '10m',
    fires: { [named('foldscan_stuck', 'group="state"')]: '0x5 1x5' },
    labels: { ...place, group: 'state' },
    silent: { [named('foldscan_stuck', 'group="state"')]: '1x5 0x5' },
  },
  FoldscanCrashLoop: {
    at: '30m',
    fires: { [started]: '1x5 2x5 3x5 4x5 5x5', [build]: '1x30' },
    labels: { ...place, pod: 'a' },
    // A deployment of three versions, and another program.
    silent: {
      [started]: '1x10 2x10 3x10',
      [build]: '1x30',
      [named('process_start_time_seconds', 'pod="other"')]: '1+1x30',
    },
  },
  FoldscanProcessGone: {
    at: '1h',
    fires: { [build]: '1x60', [indexed('state')]: '5x30', [indexed('ledger')]: '5x60' },
    labels: { ...place, group: 'state' },
    // Another pod has taken over, after a gap of some minutes.
    silent: {
      [build]: '1x60',
      [named('foldscan_indexed_position', 'group="state"', 'pod="a"')]: '5x30',
      [named('foldscan_indexed_position', 'group="state"', 'pod="b"')]: '_x38 6x22',
    },
  },
  FoldscanClickHouseUnavailable: {
    at: '10m',
    fires: { [named('foldscan_clickhouse_unavailable')]: '0x5 1x5' },
    labels: place,
    silent: { [named('foldscan_clickhouse_unavailable')]: '0x10' },
  },
  FoldscanReplicaBehind: {
    at: '30m',
    fires: { [named('foldscan_replica_behind_total')]: '0+90x30' },
    labels: place,
    silent: { [named('foldscan_replica_behind_total')]: '0+30x30' },
  },
  FoldscanRedisUnavailable: {
    at: '30m',
    fires: { [named('foldscan_cache_unavailable', 'cache="pages"')]: '0x10 1x20' },
    labels: { ...place, cache: 'pages' },
    silent: { [named('foldscan_cache_unavailable', 'cache="pages"')]: '0x27 1x3' },
  },
  FoldscanDeadLetters: {
    at: '30m',
    // The counter begins with the first one.
    fires: { [letters]: '_x25 1x5' },
    labels: { ...place, topic: 'labels', reason: 'invalid' },
    silent: { [letters]: '1x30' },
  },
  FoldscanVolumeFills: {
    at: '12h',
    // 50 GB, and 10 or 0.1 MB a minute less.
    fires: { [named('foldscan_volume_available_bytes')]: '50000000000-10000000x720' },
    labels: place,
    silent: { [named('foldscan_volume_available_bytes')]: '50000000000-100000x720' },
  },
  FoldscanVolumeCopyOld: {
    at: '30h',
    // Time begins at 0: copied in the first minute, and not again; or after a day.
    fires: { [copied]: '60x1800' },
    labels: { ...place, group: 'state' },
    silent: { [copied]: '60x1439 86400x360' },
  },
  FoldscanAuditDiffers: {
    at: '1h',
    // Of two processes one has seen it, in every second round.
    fires: { [differing('a')]: '0x30 1x4 0x4 1x4 0x4 1x14', [differing('b')]: '0x60' },
    labels: place,
    silent: { [differing('a')]: '0x20 2x26 0x14', [differing('b')]: '0x60' },
  },
  FoldscanPricesOld: {
    at: '2h',
    fires: { [prices('coin')]: '60x120', [prices('tokens')]: '60+60x120' },
    labels: { ...place, kind: 'coin' },
    // Those of the coin are published again at minute 60.
    silent: { [prices('coin')]: '60x59 3600x60', [prices('tokens')]: '60+60x120' },
  },
  FoldscanKafkaUnderReplicated: {
    at: '30m',
    fires: { [underReplicated]: '0x10 1x20' },
    labels: { namespace: 'kafka' },
    // A broker that was started again.
    silent: { [underReplicated]: '0x10 1x5 0x15' },
  },
  FoldscanClickHouseParts: {
    at: '30m',
    fires: { [parts]: '501x30' },
    labels: { instance: 'a' },
    silent: { [parts]: '500x30' },
  },
}
