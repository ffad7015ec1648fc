import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Exporter, MetricRow } from './metric-row.ts'
import { metricRows as rows } from './metric-rows.ts'
import { MeasuredGauge, PlainCounter, PlainHistogram } from './plain-metrics.ts'

export type Metrics = ReturnType<typeof startMetrics>

type Row<T extends MetricRow['type'], L extends string> = MetricRow<L> & { readonly type: T }
type HistogramRow = Row<'histogram', string> & { readonly buckets: readonly number[] }

/** Registered where the exporter exports them. */
function makers(registry: Registry, exporter: Exporter | undefined) {
  const form = <L extends string>({ name, help, labels, exportedBy }: MetricRow<L>) => {
    const isExported = exporter === undefined || exportedBy.includes(exporter)
    return { name, help, labelNames: labels, registers: isExported ? [registry] : [] }
  }
  const counter = <L extends string>(row: Row<'counter', L>) => new Counter<L>(form(row))
  const histogram = (row: HistogramRow) =>
    new PlainHistogram({ ...form(row), buckets: [...row.buckets] })
  const gauge = <L extends string>(row: Row<'gauge', L>) => {
    const made = new Gauge<L>(form(row))
    // Without labels it would be 0 from the start, before its value is known.
    if (row.labels.length === 0) made.remove()
    return made
  }
  return { form, counter, histogram, gauge }
}

/**
 * The metrics of a process. What another process exports can be fed too, and is not exported.
 *
 * @param exporter all metrics are exported without it, as tests and tasks need
 */
export function startMetrics(exporter?: Exporter) {
  const registry = new Registry()
  const making = makers(registry, exporter)
  const { form, counter, histogram, gauge } = making
  return {
    registry,
    buildInfo: gauge(rows.buildInfo),
    volumeAvailable: new MeasuredGauge(form(rows.volumeAvailable)),
    indexedBlock: gauge(rows.indexedBlock),
    indexedTime: gauge(rows.indexedTime),
    indexedPosition: gauge(rows.indexedPosition),
    indexedOffset: gauge(rows.indexedOffset),
    flushSeconds: histogram(rows.flushSeconds),
    flushedRows: counter(rows.flushedRows),
    skippedMessages: counter(rows.skippedMessages),
    deadLetters: counter(rows.deadLetters),
    ratedTokens: gauge(rows.ratedTokens),
    rateHour: gauge(rows.rateHour),
    lag: new MeasuredGauge(form(rows.lag)),
    stuck: gauge(rows.stuck),
    publishedPosition: gauge(rows.publishedPosition),
    publishedBlock: gauge(rows.publishedBlock),
    publishedTime: gauge(rows.publishedTime),
    sourceBlock: gauge(rows.sourceBlock),
    reorganisations: counter(rows.reorganisations),
    revertedBlocks: counter(rows.revertedBlocks),
    nodeRetries: counter(rows.nodeRetries),
    nodeUnanswered: counter(rows.nodeUnanswered),
    nodeWrongAnswers: counter(rows.nodeWrongAnswers),
    questionsDeferred: counter(rows.questionsDeferred),
    pendingBalances: gauge(rows.pendingBalances),
    waitingTokens: gauge(rows.waitingTokens),
    logRetries: counter(rows.logRetries),
    ...ofApi(making),
    blockStageSeconds: histogram(rows.blockStageSeconds),
    insertSeconds: histogram(rows.insertSeconds),
    insertFailures: counter(rows.insertFailures),
    appendSeconds: histogram(rows.appendSeconds),
    redisSeconds: histogram(rows.redisSeconds),
    clickhouseUnavailable: gauge(rows.clickhouseUnavailable),
    cacheFailures: counter(rows.cacheFailures),
    cacheUnavailable: gauge(rows.cacheUnavailable),
    /** Memory, garbage collection, event loop, under the names that dashboards of Node know. */
    watchProcess: () => collectDefaultMetrics({ register: registry }),
  }
}

const ofApi = ({ form, counter, histogram, gauge }: ReturnType<typeof makers>) => ({
  apiBlock: gauge(rows.apiBlock),
  apiTime: gauge(rows.apiTime),
  requests: new PlainCounter(form(rows.requests)),
  requestSeconds: histogram(rows.requestSeconds),
  querySeconds: histogram(rows.querySeconds),
  queryFailures: counter(rows.queryFailures),
  requestsInFlight: gauge(rows.requestsInFlight),
  pageLoads: gauge(rows.pageLoads),
  unavailable: counter(rows.unavailable),
  replicaBehind: counter(rows.replicaBehind),
  uncompressedResponses: counter(rows.uncompressedResponses),
  limitedClients: new MeasuredGauge(form(rows.limitedClients)),
  requestsOverLimit: new PlainCounter(form(rows.requestsOverLimit)),
  requestsCountedOtherwise: new PlainCounter(form(rows.requestsCountedOtherwise)),
  unsentBytes: gauge(rows.unsentBytes),
  slowClients: counter(rows.slowClients),
  openConnections: gauge(rows.openConnections),
  refusedConnections: counter(rows.refusedConnections),
  knownTargetsBytes: new MeasuredGauge(form(rows.knownTargetsBytes)),
  cachedPagesBytes: new MeasuredGauge(form(rows.cachedPagesBytes)),
  cacheReads: new PlainCounter(form(rows.cacheReads)),
  pageLeases: counter(rows.pageLeases),
  filteredSubjects: gauge(rows.filteredSubjects),
})
