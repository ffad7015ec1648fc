import { apiMetricRows } from './api-metric-rows.ts'
import {
  counter,
  durationsBetween,
  exporters,
  gauge,
  histogram,
  measuredGauge,
} from './metric-row.ts'
import { serverMetricRows } from './server-metric-rows.ts'

const ingesting = ['up', 'ingestor'] as const
/** Those that call a node. */
const calling = ['up', 'ingestor', 'enricher'] as const
/** Those that fetch documents from the web. */
const enriching = ['up', 'enricher'] as const
const projecting = ['up', 'projector'] as const

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
    buckets: durationsBetween(0.001, 30),
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
  lag: measuredGauge({
    name: 'foldscan_lag_seconds',
    labels: ['group'],
    unit: 's',
    exportedBy: projecting,
    help: 'Age of the oldest message that the group has read and not indexed; 0 if there is none',
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
  reorganisations: counter({
    name: 'foldscan_reorganisations_total',
    labels: [],
    unit: 'reorganisations',
    exportedBy: ingesting,
    help: 'Reorganisations of the chain that were published',
  }),
  revertedBlocks: counter({
    name: 'foldscan_reverted_blocks_total',
    labels: [],
    unit: 'blocks',
    exportedBy: ingesting,
    help: 'Blocks that reorganisations reverted: their depth, summed',
  }),
  nodeRetries: counter({
    name: 'foldscan_node_retries_total',
    labels: ['reason'],
    unit: 'requests',
    exportedBy: calling,
    help: 'Retried requests to the node',
  }),
  nodeUnanswered: counter({
    name: 'foldscan_node_unanswered_calls_total',
    labels: ['kind', 'reason'],
    unit: 'calls',
    exportedBy: calling,
    help: 'Calls of contracts without an answer: they failed, or were cut off',
  }),
  enricherWaiting: measuredGauge({
    name: 'foldscan_enricher_waiting_nfts',
    labels: [],
    unit: 'NFTs',
    exportedBy: enriching,
    help: 'NFTs whose metadata is to be fetched, now or after a failure later',
  }),
  enricherUnfetched: measuredGauge({
    name: 'foldscan_enricher_unfetched_nfts',
    labels: [],
    unit: 'NFTs',
    exportedBy: enriching,
    help: 'NFTs whose metadata was never asked for',
  }),
  enricherDelay: measuredGauge({
    name: 'foldscan_enricher_delay_seconds',
    labels: [],
    unit: 's',
    exportedBy: enriching,
    help: 'Time that the contract whose turn is next has waited for it',
  }),
  enricherFetched: counter({
    name: 'foldscan_enricher_fetched_total',
    labels: ['result'],
    unit: 'NFTs',
    exportedBy: enriching,
    help: 'NFTs whose metadata was asked for, by the result of the attempt',
  }),
  prices: counter({
    name: 'foldscan_prices_total',
    labels: ['kind', 'result'],
    unit: 'prices, or failed requests',
    exportedBy: enriching,
    help: 'Prices that a source was asked for, by what became of the answer, with --price-source',
  }),
  priceTime: gauge({
    name: 'foldscan_price_time_seconds',
    labels: ['kind'],
    unit: 's since 1970',
    exportedBy: enriching,
    help: 'When prices of a source were published last, or none were due; at first, when this process began to ask',
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
    unit: 'balances, tokens or pairs',
    exportedBy: ingesting,
    help: 'Deferred or dropped balance and token queries, and pairs that are not remembered',
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
  seenPairs: gauge({
    name: 'foldscan_seen_pairs',
    labels: [],
    unit: 'pairs',
    exportedBy: ingesting,
    help: 'Pairs of a token and a holder, and NFTs, that the log has moved',
  }),
  sweptPairs: counter({
    name: 'foldscan_swept_pairs_total',
    labels: ['outcome'],
    unit: 'pairs',
    exportedBy: ingesting,
    help: 'Pairs that the node was asked for, as the log alone leaves their balance unknown',
  }),
  sweepProgress: gauge({
    name: 'foldscan_sweep_progress_ratio',
    labels: [],
    unit: '0 to 1',
    exportedBy: ingesting,
    help: 'How far the present round over all seen pairs is; 1 while nothing is left to ask for',
  }),
  logRetries: counter({
    name: 'foldscan_log_retries_total',
    labels: ['part'],
    unit: 'calls',
    exportedBy: ['up', 'ingestor', 'projector'],
    help: 'Retried calls to Kafka',
  }),
}

const ofProcesses = {
  buildInfo: gauge({
    name: 'foldscan_build_info',
    labels: ['command', 'version'],
    unit: 'always 1',
    exportedBy: exporters,
    help: 'Command and version of the process',
  }),
  volumeAvailable: measuredGauge({
    name: 'foldscan_volume_available_bytes',
    labels: [],
    unit: 'bytes',
    exportedBy: ['up', 'ingestor', 'enricher', 'projector'],
    help: 'Space that the volume of the data folder has left for Foldscan',
  }),
  volumeCopyTime: gauge({
    name: 'foldscan_volume_copy_time_seconds',
    labels: ['group'],
    unit: 's since 1970',
    exportedBy: ['projector'],
    help: 'When the newest copy of the volume was made, 0 if there is none; of projectors that make copies',
  }),
}

/** Every metric of Foldscan: the one list, for code, dashboards and alerts. */
export const metricRows = {
  ...ofProcesses,
  ...ofIngestors,
  ...ofProjectors,
  ...apiMetricRows,
  ...serverMetricRows,
}
