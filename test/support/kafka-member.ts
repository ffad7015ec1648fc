import { logAt } from './kafka-for-tests.ts'

/** A member of a group in a process of its own, to be killed: prints `reads` when it does. */
const [brokers = '', topicPrefix = '', group = ''] = process.argv.slice(2)

const limits = { sessionTimeoutMs: 2_000, heartbeatIntervalMs: 100, rebalanceTimeoutMs: 3_000 }
const eventLog = logAt(brokers.split(','), { topicPrefix, groupOf: () => group, limits })
await eventLog.waitBeyond('a', 0, new AbortController().signal)
process.stdout.write('reads\n')
