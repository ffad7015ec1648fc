import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Names of all metrics: the one tree, for code, dashboards and alerts. */
export const metricNames = {
  indexedBlock: 'foldscan_indexed_block',
  indexedPosition: 'foldscan_indexed_position',
  publishedPosition: 'foldscan_published_position',
  flushSeconds: 'foldscan_flush_seconds',
  flushedRows: 'foldscan_flushed_rows_total',
  skippedMessages: 'foldscan_skipped_messages_total',
  stuck: 'foldscan_stuck',
  nodeRetries: 'foldscan_node_retries_total',
  nodeUnanswered: 'foldscan_node_unanswered_calls_total',
  logRetries: 'foldscan_log_retries_total',
  requests: 'foldscan_requests_total',
  requestSeconds: 'foldscan_request_seconds',
  requestsInFlight: 'foldscan_requests_in_flight',
  uncompressedResponses: 'foldscan_uncompressed_responses_total',
  cacheReads: 'foldscan_cache_reads_total',
  cacheFailures: 'foldscan_cache_failures_total',
  cacheAway: 'foldscan_cache_away',
  storeAway: 'foldscan_store_away',
} as const

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export type Metrics = ReturnType<typeof startMetrics>

/** All that is counted, in one registry a process; label values are short stable words. */
export function startMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter<L>({ name, help, labelNames, registers })
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge<L>({ name, help, labelNames, registers })
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Histogram<L>({ name, help, labelNames, registers, buckets: secondsBuckets })
  const n = metricNames
  return {
    registry,
    indexedBlock: gauge(n.indexedBlock, 'Newest block that can be read', ['group']),
    indexedPosition: gauge(n.indexedPosition, 'Last position whose rows rest', ['group']),
    publishedPosition: gauge(n.publishedPosition, 'Last position on topic blocks', []),
    flushSeconds: histogram(n.flushSeconds, 'Time of a flush, rows to announcement', ['group']),
    flushedRows: counter(n.flushedRows, 'Rows acknowledged by the store', ['group']),
    skippedMessages: counter(n.skippedMessages, 'Messages not folded', ['group', 'reason']),
    stuck: gauge(n.stuck, '1 while a group waits for a valid message', ['group']),
    nodeRetries: counter(n.nodeRetries, 'Questions to the node asked again', ['reason']),
    nodeUnanswered: counter(n.nodeUnanswered, 'Calls of contracts without answer', [
      'kind',
      'reason',
    ]),
    logRetries: counter(n.logRetries, 'Calls of the log made again', ['part']),
    requests: counter(n.requests, 'Requests answered', ['route', 'status']),
    requestSeconds: histogram(n.requestSeconds, 'Time to answer', ['route']),
    requestsInFlight: gauge(n.requestsInFlight, 'Requests being answered now', []),
    uncompressedResponses: counter(
      n.uncompressedResponses,
      'Responses sent uncompressed because too much waited for compression',
      [],
    ),
    cacheReads: counter(n.cacheReads, 'Look-ups in the caches', ['cache', 'outcome']),
    cacheFailures: counter(n.cacheFailures, 'Not asked, not had, not kept', ['cache', 'reason']),
    cacheAway: gauge(n.cacheAway, '1 while a cache is left alone', ['cache']),
    storeAway: gauge(n.storeAway, '1 while ClickHouse does not answer', []),
    /** Memory, garbage collection, event loop: once a process, not in tests. */
    watchProcess: () => collectDefaultMetrics({ register: registry, prefix: 'foldscan_' }),
  }
}
