import { assumptions, type Constants, historyOf, readAlone, servingOf } from '../capacity.ts'
import { number } from './result-table.ts'

const demands = [1_000, 100_000, 1_000_000]

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

const range = (least: number, most: number): string =>
  least === most ? number(least) : `${number(least)} to ${number(most)}`

/** The capacity model, printed into `benchmarks/README.md`. */
export function capacitySection(constants: Constants): string {
  const served = demands.map((demand) => ({
    least: servingOf(demand, constants),
    most: servingOf(demand, readAlone(constants)),
  }))
  const history = historyOf(constants)
  return `## Capacity

Computed by \`benchmarks/capacity.ts\` from the constants below: a first estimate of what to order, to be
replaced by a load test of your own cluster (\`benchmarks/load\`). Processor time is that of the machine
of the results. Cold pages dominate: a share of requests answered from the tables that is twice as
large needs twice the ClickHouse servers. What one process measures is assumed to add up over
processes; nothing else limits a cluster in this model. Pages that a block has just changed count as
cold: a chain with a block each second and few requests for the same page has far more of them than the
share below (\`read-mixed\`: nearly every request reads the tables). Pages that one process reads at the
same time share queries: the first number of a range is for 128 at a time, the second for pages that
are all read alone, as by many processes with few requests each.

${table(
  [
    'requests/s',
    'API cores',
    'API pods',
    'Redis servers',
    'ClickHouse cores',
    'ClickHouse servers',
    'network, Gbit/s',
  ],
  served.map(({ least, most }) => [
    number(least.requestsPerSecond),
    range(Math.ceil(least.apiCores), Math.ceil(most.apiCores)),
    range(least.apiPods, most.apiPods),
    number(least.redisServers),
    range(Math.ceil(least.storeCores), Math.ceil(most.storeCores)),
    range(least.storeServers, most.storeServers),
    number(least.gbitPerSecond),
  ]),
)}

The history of Mainnet, ${number(assumptions.history.value)} transfers: ${history.storeTerabytes.toFixed(1)} TB on
each ClickHouse server that has all of it, ${history.allStoreTerabytes.toFixed(1)} TB with replicas,
${history.kafkaTerabytes.toFixed(1)} TB on Kafka brokers. Folding it takes ${history.foldDays.toFixed(1)} days of one core of
projectors, about half of them for each of the groups \`ledger\` and \`state\`, which fold side by
side; a ClickHouse server keeps up with ${history.projectorCoresPerServer.toFixed(1)} such cores.

${table(
  ['constant', 'value', 'unit', 'source'],
  [...Object.values(constants), ...Object.values(assumptions)].map(
    ({ name, value, unit, source }) => [name, number(value), unit, source],
  ),
)}
`
}
