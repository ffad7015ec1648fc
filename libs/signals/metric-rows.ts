/** Processes that serve /metrics, by their commands. */
export const exporters = ['up', 'ingestor', 'projector', 'enricher', 'api'] as const
export type Exporter = (typeof exporters)[number]

/** What dashboards and alerts need to know of a metric: a row of `deploy/METRICS.md`. */
export interface MetricRow<L extends string = string> {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Their values are short stable words. */
  readonly labels: readonly L[]
  readonly unit: string
  readonly exportedBy: readonly Exporter[]
  readonly help: string
}

type MetricOptions<L extends string> = Omit<MetricRow<L>, 'type'>

/** Absent until it is first set: a process that does not do the work does not report it. */
const gauge = <const L extends string>(options: MetricOptions<L>) => ({
  ...options,
  type: 'gauge' as const,
})
const counter = <const L extends string>(options: MetricOptions<L>) => ({
  ...options,
  type: 'counter' as const,
})
const histogram = <const L extends string>(options: MetricOptions<L>) => ({
  ...options,
  type: 'histogram' as const,
})

const ingesting = ['up', 'ingestor'] as const
const projecting = ['up', 'projector'] as const
const answering = ['up', 'api'] as const

const ofProjectors = {
  indexedBlock: gauge({
    name: 'foldscan_indexed_block',
    labels: ['group'],
    unit: 'block number',
    exportedBy: projecting,
    help: 'Newest block whose rows are stored',
  }),
  indexedTime: gauge({
    name: 'foldscan_indexed_time_seconds',
    labels: ['group'],
    unit: 's since 1970',
    exportedBy: projecting,
    help: 'Timestamp of the newest block whose rows are stored',
  }),
  indexedPosition: gauge({
    name: 'foldscan_indexed_position',
    labels: ['group'],
    unit: 'messages',
    exportedBy: projecting,
    help: 'Position of the last message whose rows are stored; of group dimensions, messages read',
  }),
  indexedOffset: gauge({
    name: 'foldscan_indexed_offset',
    labels: ['topic'],
    unit: 'offset',
    exportedBy: projecting,
    help: 'Next offset to read of a topic of facts: the rows of those before are stored',
  }),
  flushSeconds: histogram({
    name: 'foldscan_flush_seconds',
    labels: ['group'],
    unit: 's',
    exportedBy: projecting,
    help: 'Duration of a flush, from its rows to its announcement',
  }),
  flushedRows: counter({
    name: 'foldscan_flushed_rows_total',
    labels: ['group'],
    unit: 'rows',
    exportedBy: projecting,
    help: 'Rows acknowledged by ClickHouse',
  }),
  skippedMessages: counter({
    name: 'foldscan_skipped_messages_total',
    labels: ['group', 'reason'],
    unit: 'messages',
    exportedBy: projecting,
    help: 'Messages of topic blocks that were not applied',
  }),
  deadLetters: counter({
    name: 'foldscan_dead_letters_total',
    labels: ['topic', 'reason'],
    unit: 'messages',
    exportedBy: projecting,
    help: 'Facts written to the dead letters of their topic, acknowledged or not',
  }),
  ratedTokens: gauge({
    name: 'foldscan_rated_tokens',
    labels: [],
    unit: 'tokens',
    exportedBy: projecting,
    help: 'Tokens with a rate that orders balances',
  }),
  rateHour: gauge({
    name: 'foldscan_rate_hour_time_seconds',
    labels: [],
    unit: 's since 1970',
    exportedBy: projecting,
    help: 'Start of the newest hour of chain time whose rates order balances',
  }),
  stuck: gauge({
    name: 'foldscan_stuck',
    labels: ['group'],
    unit: '0 or 1',
    exportedBy: projecting,
    help: '1 while the group waits for a valid message',
  }),
}

const ofIngestors = {
  publishedPosition: gauge({
    name: 'foldscan_published_position',
    labels: [],
    unit: 'messages',
    exportedBy: ingesting,
    help: 'Position of the last message of topic blocks',
  }),
  publishedBlock: gauge({
    name: 'foldscan_published_block',
    labels: [],
    unit: 'block number',
    exportedBy: ingesting,
    help: 'Newest block on topic blocks',
  }),
  publishedTime: gauge({
    name: 'foldscan_published_time_seconds',
    labels: [],
    unit: 's since 1970',
    exportedBy: ingesting,
    help: 'Timestamp of the newest block on topic blocks',
  }),
  sourceBlock: gauge({
    name: 'foldscan_source_block',
    labels: [],
    unit: 'block number',
    exportedBy: ingesting,
    help: 'Newest block of the source at the last poll',
  }),
  nodeRetries: counter({
    name: 'foldscan_node_retries_total',
    labels: ['reason'],
    unit: 'requests',
    exportedBy: ingesting,
    help: 'Retried requests to the node',
  }),
  nodeUnanswered: counter({
    name: 'foldscan_node_unanswered_calls_total',
    labels: ['kind', 'reason'],
    unit: 'calls',
    exportedBy: ingesting,
    help: 'Calls of contracts without an answer: they failed, or were cut off',
  }),
  nodeWrongAnswers: counter({
    name: 'foldscan_node_wrong_answers_total',
    labels: ['method'],
    unit: 'answers',
    exportedBy: ingesting,
    help: 'Answers of the node that contradict the rest, and were asked for in another way',
  }),
  questionsDeferred: counter({
    name: 'foldscan_deferred_questions_total',
    labels: ['kind', 'reason'],
    unit: 'balances or tokens',
    exportedBy: ingesting,
    help: 'Deferred or dropped balance and token queries',
  }),
  pendingBalances: gauge({
    name: 'foldscan_pending_balances',
    labels: [],
    unit: 'balances',
    exportedBy: ingesting,
    help: 'Pending balances: changed, and not observed yet',
  }),
  waitingTokens: gauge({
    name: 'foldscan_waiting_tokens',
    labels: [],
    unit: 'tokens',
    exportedBy: ingesting,
    help: 'Pending tokens: new, and not queried for their names yet',
  }),
  logRetries: counter({
    name: 'foldscan_log_retries_total',
    labels: ['part'],
    unit: 'calls',
    exportedBy: ['up', 'ingestor', 'projector'],
    help: 'Retried calls to Kafka',
  }),
}

const ofApis = {
  apiBlock: gauge({
    name: 'foldscan_api_indexed_block',
    labels: [],
    unit: 'block number',
    exportedBy: answering,
    help: 'Newest block that responses show, as x-indexed-block',
  }),
  apiTime: gauge({
    name: 'foldscan_api_indexed_time_seconds',
    labels: [],
    unit: 's since 1970',
    exportedBy: answering,
    help: 'Timestamp of the newest block that responses show',
  }),
  requests: counter({
    name: 'foldscan_requests_total',
    labels: ['route', 'status'],
    unit: 'requests',
    exportedBy: answering,
    help: 'HTTP requests answered',
  }),
  requestSeconds: histogram({
    name: 'foldscan_request_seconds',
    labels: ['route'],
    unit: 's',
    exportedBy: answering,
    help: 'Duration of an HTTP request until its response is complete',
  }),
  requestsInFlight: gauge({
    name: 'foldscan_requests_in_flight',
    labels: [],
    unit: 'requests',
    exportedBy: answering,
    help: 'HTTP requests in progress',
  }),
  pageLoads: gauge({
    name: 'foldscan_page_loads',
    labels: ['state'],
    unit: 'page loads',
    exportedBy: answering,
    help: 'Page loads: running, running large ones, or queued',
  }),
  unavailable: counter({
    name: 'foldscan_unavailable_total',
    labels: ['reason'],
    unit: 'requests',
    exportedBy: answering,
    help: 'HTTP requests answered 503, by reason',
  }),
  replicaBehind: counter({
    name: 'foldscan_replica_behind_total',
    labels: [],
    unit: 'queries',
    exportedBy: answering,
    help: 'Queries answered by a ClickHouse replica that has not caught up with the announced position',
  }),
  uncompressedResponses: counter({
    name: 'foldscan_uncompressed_responses_total',
    labels: [],
    unit: 'responses',
    exportedBy: answering,
    help: 'Responses sent uncompressed because the compression queue was full',
  }),
  limitedClients: gauge({
    name: 'foldscan_limited_clients',
    labels: [],
    unit: 'clients',
    exportedBy: answering,
    help: 'Clients counted in the current window of limits; absent without limits',
  }),
  requestsOverLimit: counter({
    name: 'foldscan_requests_over_limit_total',
    labels: ['reason'],
    unit: 'requests',
    exportedBy: answering,
    help: 'HTTP requests answered 429, by the limit: address or key',
  }),
  requestsCountedOtherwise: counter({
    name: 'foldscan_requests_counted_otherwise_total',
    labels: ['reason'],
    unit: 'requests',
    exportedBy: answering,
    help: 'HTTP requests counted without Redis, together with other clients, or without their unknown key',
  }),
  unsentBytes: gauge({
    name: 'foldscan_unsent_bytes',
    labels: [],
    unit: 'bytes',
    exportedBy: answering,
    help: 'Bytes of response bodies not yet received by clients',
  }),
  slowClients: counter({
    name: 'foldscan_slow_clients_total',
    labels: [],
    unit: 'connections',
    exportedBy: answering,
    help: 'Connections of slow clients closed at the limit of unsent bytes',
  }),
  openConnections: gauge({
    name: 'foldscan_open_connections',
    labels: [],
    unit: 'connections',
    exportedBy: answering,
    help: 'Open connections of clients to the API, at most --connections-max',
  }),
  refusedConnections: counter({
    name: 'foldscan_refused_connections_total',
    labels: [],
    unit: 'connections',
    exportedBy: answering,
    help: 'New connections closed at once at the limit of open connections',
  }),
  knownTargetsBytes: gauge({
    name: 'foldscan_known_targets_bytes',
    labels: [],
    unit: 'bytes',
    exportedBy: answering,
    help: 'Memory of request targets whose cached pages are found without parsing, at most 8 MiB',
  }),
  cachedPagesBytes: gauge({
    name: 'foldscan_cached_pages_bytes',
    labels: [],
    unit: 'bytes',
    exportedBy: answering,
    help: 'Memory of pages cached in this process, at most --page-cache-bytes-max',
  }),
  cacheReads: counter({
    name: 'foldscan_cache_reads_total',
    labels: ['cache', 'outcome'],
    unit: 'reads',
    exportedBy: answering,
    help: 'Cache reads, by outcome',
  }),
  pageLeases: counter({
    name: 'foldscan_page_leases_total',
    labels: ['outcome'],
    unit: 'page loads',
    exportedBy: answering,
    help: 'Stale shared pages by lease: taken, unanswered, waited, wait timed out, too many',
  }),
  filteredSubjects: gauge({
    name: 'foldscan_filtered_subjects',
    labels: ['table'],
    unit: 'subjects',
    exportedBy: answering,
    help: 'Subjects in the filter of each table that answers lookups of absent rows; 0: no filter',
  }),
}

const ofSupervisors = {
  workers: gauge({
    name: 'foldscan_workers',
    labels: ['state'],
    unit: 'processes',
    exportedBy: ['api'],
    help: 'Workers of a supervisor, by state: ready or not ready; absent without `--workers`',
  }),
  workerRestarts: counter({
    name: 'foldscan_worker_restarts_total',
    labels: ['reason'],
    unit: 'restarts',
    exportedBy: ['api'],
    help: 'Workers started again by their supervisor, because they ended or were unresponsive',
  }),
}

const ofServers = {
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

/** Every metric of Foldscan: the one list, for code, dashboards and alerts. */
export const metricRows = {
  ...ofIngestors,
  ...ofProjectors,
  ...ofApis,
  ...ofSupervisors,
  ...ofServers,
}
