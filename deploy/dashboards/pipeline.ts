import { metricRows as rows } from '../../libs/signals/metric-rows.ts'
import type { Dashboard } from './dashboard.ts'
import { highest, perSecond, quantile, series } from './expressions.ts'
import { panelsOfProcesses } from './panels-of-processes.ts'

/** The way of a block from the node to the tables. */
export const pipeline: Dashboard = {
  uid: 'foldscan-pipeline',
  title: 'Foldscan: the pipeline',
  rows: {
    Progress: [
      {
        title: 'Newest block',
        description:
          'From the node to responses: the first line that stands still names the cause.',
        unit: 'locale',
        lines: {
          'of the node': `max(${series(rows.sourceBlock)})`,
          published: `max(${series(rows.publishedBlock)})`,
          'indexed by {{group}}': `max by (group) (${series(rows.indexedBlock)})`,
          'in responses': `max(${series(rows.apiBlock)})`,
        },
      },
      {
        title: 'Age of the newest block',
        description: 'Time since the timestamp of the newest published and indexed block.',
        unit: 's',
        lines: {
          published: `time() - max(${series(rows.publishedTime)})`,
          'indexed by {{group}}': `time() - max by (group) (${series(rows.indexedTime)})`,
          'in responses': `time() - min(${series(rows.apiTime)})`,
        },
      },
      {
        title: 'Median age of new blocks by stage',
        description: 'Since the ingestor had a block; the difference of two lines is one stage.',
        unit: 's',
        lines: { '{{stage}}': quantile(rows.blockStageSeconds, 0.5, ['stage']) },
      },
      {
        title: 'Lag of groups',
        description: 'Age of the oldest message that a group has read and not indexed.',
        unit: 's',
        lines: { '{{group}}': `max by (group) (${series(rows.lag)})` },
      },
      {
        title: 'Messages behind',
        description:
          'Published messages that a group has not indexed, and blocks not published yet.',
        unit: 'locale',
        lines: {
          '{{group}}':
            `max by (namespace, release) (${series(rows.publishedPosition)}) - on (namespace, release) ` +
            'group_right () max by (namespace, release, group) ' +
            `(${series(rows.indexedPosition, { group: '!="dimensions"' })})`,
          'blocks of the node':
            `max by (namespace, release) (${series(rows.sourceBlock)}) - ` +
            `max by (namespace, release) (${series(rows.publishedBlock)})`,
        },
      },
      {
        title: 'Stuck groups',
        description: 'A group is 1 while it waits for a valid message.',
        unit: 'locale',
        lines: { '{{group}}': `max by (group) (${series(rows.stuck)})` },
      },
      {
        title: 'Skipped messages and dead letters',
        description: 'Messages that were not applied; a dead letter needs attention.',
        unit: 'ops',
        lines: {
          'skipped by {{group}}: {{reason}}': perSecond(rows.skippedMessages, ['group', 'reason']),
          'dead letters of {{topic}}: {{reason}}': perSecond(rows.deadLetters, ['topic', 'reason']),
        },
      },
      {
        title: 'Processes by version',
        description: 'Running processes by command and version.',
        unit: 'locale',
        lines: {
          '{{command}} {{version}}': `sum by (command, version) (${series(rows.buildInfo)})`,
        },
      },
    ],
    Ingestor: [
      {
        title: 'Published messages',
        description: 'Messages that the ingestor appends to topic blocks per second.',
        unit: 'ops',
        lines: { messages: `max(deriv(${series(rows.publishedPosition)}[$__rate_interval]))` },
      },
      {
        title: 'Troubles of the node',
        description:
          'Retried requests, calls without an answer, and answers that contradict the rest.',
        unit: 'ops',
        lines: {
          'retried: {{reason}}': perSecond(rows.nodeRetries, ['reason']),
          'unanswered {{kind}}: {{reason}}': perSecond(rows.nodeUnanswered, ['kind', 'reason']),
          'wrong: {{method}}': perSecond(rows.nodeWrongAnswers, ['method']),
        },
      },
      {
        title: 'Pending calls of contracts',
        description:
          'Balances and tokens that are queried later; they shrink while blocks are small.',
        unit: 'locale',
        lines: {
          balances: `max(${series(rows.pendingBalances)})`,
          tokens: `max(${series(rows.waitingTokens)})`,
        },
      },
      {
        title: 'Deferred calls of contracts',
        description: 'Balance and token queries that were deferred or dropped.',
        unit: 'ops',
        lines: { '{{kind}}: {{reason}}': perSecond(rows.questionsDeferred, ['kind', 'reason']) },
      },
      {
        title: 'Reorganisations',
        description: 'Reorganisations within an hour, and the blocks that they reverted.',
        unit: 'locale',
        lines: {
          reorganisations: `sum(increase(${series(rows.reorganisations)}[1h]))`,
          'reverted blocks': `sum(increase(${series(rows.revertedBlocks)}[1h]))`,
        },
      },
      {
        title: 'Retried calls to Kafka',
        description: 'A rate that stays above zero needs attention.',
        unit: 'ops',
        lines: { '{{part}}': perSecond(rows.logRetries, ['part']) },
      },
    ],
    Projectors: [
      {
        title: 'Flushed rows',
        description: 'Rows acknowledged by ClickHouse per second.',
        unit: 'ops',
        lines: { '{{group}}': perSecond(rows.flushedRows, ['group']) },
      },
      {
        title: 'Duration of a flush',
        description: 'From its rows to its announcement; it grows with the load of ClickHouse.',
        unit: 's',
        lines: {
          'p50 of {{group}}': quantile(rows.flushSeconds, 0.5, ['group']),
          'p99 of {{group}}': quantile(rows.flushSeconds, 0.99, ['group']),
        },
      },
      {
        title: '99th percentile by table',
        description: 'The slowest inserts into ClickHouse.',
        unit: 's',
        lines: { '{{table}}': highest(quantile(rows.insertSeconds, 0.99, ['table'])) },
      },
      {
        title: 'Failed inserts',
        description: 'Inserts without an acknowledgement; they are repeated.',
        unit: 'ops',
        lines: { '{{table}}: {{reason}}': perSecond(rows.insertFailures, ['table', 'reason']) },
      },
      {
        title: 'Facts read',
        description: 'Next offset to read of each topic of facts.',
        unit: 'locale',
        lines: { '{{topic}}': `max by (topic) (${series(rows.indexedOffset)})` },
      },
      {
        title: 'Tokens with a rate',
        description: 'Tokens whose rate orders balances.',
        unit: 'locale',
        lines: { tokens: `max(${series(rows.ratedTokens)})` },
      },
      {
        title: 'Age of the rates',
        description:
          'Time of the newest block since the hour of rates began; above two hours is too old.',
        unit: 's',
        lines: {
          age:
            `max(${series(rows.indexedTime, { group: '="state"' })}) - ` +
            `max(${series(rows.rateHour)})`,
        },
      },
    ],
    Servers: [
      {
        title: 'Unavailable servers',
        description:
          'Processes that cannot reach ClickHouse, and servers of Redis that are not used.',
        unit: 'locale',
        lines: {
          ClickHouse: `sum(${series(rows.clickhouseUnavailable)})`,
          'Redis, {{cache}}': `sum by (cache) (${series(rows.cacheUnavailable)})`,
        },
      },
      {
        title: '99th percentile by topic',
        description: 'Appends to topics, until all replicas in sync have acknowledged them.',
        unit: 's',
        lines: { '{{topic}}': quantile(rows.appendSeconds, 0.99, ['topic']) },
      },
      {
        title: 'Failures of Redis',
        description: 'Failed operations on a shared cache; responses remain correct.',
        unit: 'ops',
        lines: { '{{cache}}: {{reason}}': perSecond(rows.cacheFailures, ['cache', 'reason']) },
      },
      {
        title: 'Queries of replicas that are behind',
        description: 'Queries that were sent again, as the replica lacked rows.',
        unit: 'ops',
        lines: { queries: perSecond(rows.replicaBehind) },
      },
    ],
    Processes: panelsOfProcesses,
  },
}
