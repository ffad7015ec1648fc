import { once } from 'node:events'
import { mulberry32 } from '../../services/demo-chain/random.ts'
import { isAcceptedOrRefused } from './accepted-or-refused.ts'
import { openLoop } from './open-loop.ts'
import { type GreedyReport, greedyOptions } from './start-greedy-client.ts'
import { transactionHash } from './uniform-subjects.ts'

/**
 * Connections, each kept alive. With as many as it has requests the kernel's queue of new ones
 * would overflow, and all clients wait for their packets to be sent again.
 */
const connectionsMax = 1_024

/** Requests first pages as one client once it is told to, and reports how they ended. */
const options = greedyOptions.parse(JSON.parse(process.argv[2] ?? ''))
const { port, perSecond, seconds, seed, subjects, checkedShare, localAddress } = options
const random = mulberry32(seed)
const kept: GreedyReport['kept'] = []
let next = options.firstSubject
let responses = 0
let accepted = 0
const told = once(process, 'message')
process.send?.('ready')
await told
const sentPerSecond = await openLoop({
  ...{ port, perSecond, seconds, openMax: connectionsMax },
  fraction: () => random() / 2 ** 32,
  next: () => {
    const subject = transactionHash(next++ % subjects)
    return { subject, target: `/api/v2/transactions/${subject}/token-transfers`, localAddress }
  },
  onResponse: ({ subject }, got) => {
    responses += 1
    if (isAcceptedOrRefused(got) && accepted++ % checkedShare === 0)
      kept.push({ subject, body: got.body.toString('base64') })
  },
})
const report: GreedyReport = { sentPerSecond, responses, accepted, kept }
process.send?.(report)
