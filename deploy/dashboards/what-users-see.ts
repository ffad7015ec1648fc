import { metricRows as rows } from '../../libs/signals/metric-rows.ts'
import type { Dashboard } from './dashboard.ts'
import { highest, perSecond, quantile, series, shareOf } from './expressions.ts'

/** Freshness, errors and durations of responses, and what the api does for them. */
export const whatUsersSee: Dashboard = {
  uid: 'foldscan-users',
  title: 'Foldscan: what users see',
  rows: {
    Freshness: [
      {
        title: 'Age of the newest block in responses',
        description: 'The oldest and the newest of all api processes; some block times are normal.',
        unit: 's',
        lines: {
          oldest: `time() - min(${series(rows.apiTime)})`,
          newest: `time() - max(${series(rows.apiTime)})`,
        },
      },
      {
        title: 'Age of new blocks by stage',
        description:
          'Since the ingestor had a block, until most responses show it; one of a hundred is slower.',
        unit: 's',
        lines: { '{{stage}}': quantile(rows.blockStageSeconds, 0.99, ['stage']) },
      },
      {
        title: 'Newest block in responses',
        description: 'Processes that differ for long do not read topic changes.',
        unit: 'locale',
        lines: {
          lowest: `min(${series(rows.apiBlock)})`,
          highest: `max(${series(rows.apiBlock)})`,
        },
      },
    ],
    Requests: [
      {
        title: 'Requests by status',
        description: 'Responses per second; status 499 is a client that disconnected.',
        unit: 'reqps',
        lines: { '{{status}}': perSecond(rows.requests, ['status']) },
      },
      {
        title: 'Requests by route',
        description: 'Responses per second of each route.',
        unit: 'reqps',
        lines: { '{{route}}': perSecond(rows.requests, ['route']) },
      },
      {
        title: 'Share of 5xx responses',
        description: 'The error budget is spent by what is above the allowed share.',
        unit: 'percentunit',
        lines: { '5xx': shareOf(rows.requests, { status: '=~"5.."' }) },
      },
      {
        title: 'Duration of requests',
        description: 'Quantiles over all routes, until the response is complete.',
        unit: 's',
        lines: {
          p50: quantile(rows.requestSeconds, 0.5),
          p90: quantile(rows.requestSeconds, 0.9),
          p99: quantile(rows.requestSeconds, 0.99),
        },
      },
      {
        title: '99th percentile by route',
        description: 'One of a hundred requests to the route takes longer.',
        unit: 's',
        lines: { '{{route}}': quantile(rows.requestSeconds, 0.99, ['route']) },
      },
      {
        title: 'Requests in progress',
        description: 'Requests that have no complete response yet.',
        unit: 'locale',
        lines: { requests: `sum(${series(rows.requestsInFlight)})` },
      },
    ],
    'Refused requests': [
      {
        title: '503 by reason',
        description: 'The page overload.md explains each reason.',
        unit: 'reqps',
        lines: { '{{reason}}': perSecond(rows.unavailable, ['reason']) },
      },
      {
        title: '429 by limit',
        description:
          'Requests over a limit, and those that were counted in another way than usual.',
        unit: 'reqps',
        lines: {
          'over limit: {{reason}}': perSecond(rows.requestsOverLimit, ['reason']),
          'counted {{reason}}': perSecond(rows.requestsCountedOtherwise, ['reason']),
        },
      },
      {
        title: 'Closed connections',
        description: 'Connections refused at --connections-max, and those of slow clients.',
        unit: 'ops',
        lines: {
          refused: perSecond(rows.refusedConnections),
          'slow clients': perSecond(rows.slowClients),
        },
      },
    ],
    'Queries and Redis': [
      {
        title: '99th percentile by query',
        description: 'The slowest queries of ClickHouse, with the time in the queue of a process.',
        unit: 's',
        lines: { '{{query}}': highest(quantile(rows.querySeconds, 0.99, ['query'])) },
      },
      {
        title: 'Failed queries',
        description: 'Queries that the queue refused, that had no answer in time, or that failed.',
        unit: 'ops',
        lines: { '{{reason}}': perSecond(rows.queryFailures, ['reason']) },
      },
      {
        title: '99th percentile of Redis',
        description: 'Round trips by what they are for; at --redis-timeout-ms they time out.',
        unit: 's',
        lines: { '{{purpose}}': quantile(rows.redisSeconds, 0.99, ['purpose']) },
      },
    ],
    'Caches and page loads': [
      {
        title: 'Cache hits',
        description: 'Share of reads of each cache that found an entry.',
        unit: 'percentunit',
        lines: { '{{cache}}': shareOf(rows.cacheReads, { outcome: '="hit"' }, ['cache']) },
      },
      {
        title: 'Page loads',
        description: 'Pages that are read from ClickHouse now, and those that wait for that.',
        unit: 'locale',
        lines: { '{{state}}': `sum by (state) (${series(rows.pageLoads)})` },
      },
      {
        title: 'Leases of shared pages',
        description: 'Stale pages in Redis by what the process that met them did.',
        unit: 'ops',
        lines: { '{{outcome}}': perSecond(rows.pageLeases, ['outcome']) },
      },
      {
        title: 'Memory of caches and bodies',
        description:
          'Cached pages, known request targets, and bodies that clients have not received.',
        unit: 'bytes',
        lines: {
          'cached pages': `sum(${series(rows.cachedPagesBytes)})`,
          'request targets': `sum(${series(rows.knownTargetsBytes)})`,
          'unsent bodies': `sum(${series(rows.unsentBytes)})`,
        },
      },
      {
        title: 'Connections and clients',
        description: 'Open connections, and clients counted in the current window of limits.',
        unit: 'locale',
        lines: {
          connections: `sum(${series(rows.openConnections)})`,
          'limited clients': `sum(${series(rows.limitedClients)})`,
        },
      },
      {
        title: 'Uncompressed responses',
        description: 'Responses sent uncompressed because the compression queue was full.',
        unit: 'reqps',
        lines: { responses: perSecond(rows.uncompressedResponses) },
      },
      {
        title: 'Subjects of filters',
        description: 'Filters that answer lookups of absent rows; 0 is no filter.',
        unit: 'locale',
        lines: { '{{table}}': `min by (table) (${series(rows.filteredSubjects)})` },
      },
    ],
  },
}
