import { metricRows as rows } from '../metric-rows.ts'
import type { Dashboard } from './dashboard.ts'
import { ofProcesses, perSecond, quantile, series } from './expressions.ts'

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
    Processes: [
      {
        title: 'Free space of volumes',
        description: 'Space that the volume of each data folder has left.',
        unit: 'bytes',
        lines: {
          '{{command}} {{instance}} {{worker}}':
            `${series(rows.volumeAvailable)} * ignoring (command, version) ` +
            `group_left (command) ${series(rows.buildInfo)}`,
        },
      },
      {
        title: 'Uptime',
        description:
          'Time since the start of each process; a line that falls to zero is a restart.',
        unit: 's',
        lines: {
          '{{command}} {{instance}} {{worker}}': `time() - ${ofProcesses('process_start_time_seconds')}`,
        },
      },
      {
        title: 'Workers',
        description: 'Workers of supervisors by state, and their restarts per second.',
        unit: 'locale',
        lines: {
          '{{state}}': `sum by (state) (${series(rows.workers)})`,
          'restarts: {{reason}}': perSecond(rows.workerRestarts, ['reason']),
        },
      },
      {
        title: 'Processor',
        description: 'Seconds of processor time per second; one process uses one core at most.',
        unit: 'percentunit',
        lines: {
          '{{command}} {{instance}} {{worker}}': ofProcesses(
            'process_cpu_seconds_total',
            '$__rate_interval',
          ),
        },
      },
      {
        title: 'Event loop lag',
        description: 'The 99th percentile, near the duration of the longest work without a pause.',
        unit: 's',
        lines: {
          '{{command}} {{instance}} {{worker}}': ofProcesses('nodejs_eventloop_lag_p99_seconds'),
        },
      },
      {
        title: 'Memory',
        description: 'Resident memory of each process.',
        unit: 'bytes',
        lines: {
          '{{command}} {{instance}} {{worker}}': ofProcesses('process_resident_memory_bytes'),
        },
      },
    ],
  },
}
