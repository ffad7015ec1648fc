import { once } from 'node:events'
import { mulberry32 } from '../../services/demo-chain/random.ts'
import { isAcceptedOrRefused } from './accepted-or-refused.ts'
import { openLoop } from './open-loop.ts'
import { type GreedyReport, greedyConnectionsMax, greedyOptions } from './start-greedy-client.ts'
import { transactionHash } from './uniform-subjects.ts'

/** Requests first pages as one client once it is told to, and reports how they ended. */
const options = greedyOptions.parse(JSON.parse(process.argv[2] ?? ''))
const { port, perSecond, seconds, seed, firstSubject, subjects, checkedShare, localAddress } =
  options
const random = mulberry32(seed)
const kept: GreedyReport['kept'] = []
let next = 0
let responses = 0
const latenciesMs: number[] = []
const told = once(process, 'message')
process.send?.('ready')
await told
const sentPerSecond = await openLoop({
  ...{ port, perSecond, seconds, openMax: greedyConnectionsMax },
  fraction: () => random() / 2 ** 32,
  next: () => {
    const subject = transactionHash(firstSubject + (next++ % subjects))
    return { subject, target: `/api/v2/transactions/${subject}/token-transfers`, localAddress }
  },
  onResponse: ({ subject }, got, latencyMs) => {
    responses += 1
    if (!isAcceptedOrRefused(got)) return
    if (latenciesMs.length % checkedShare === 0)
      kept.push({ subject, body: got.body.toString('base64') })
    latenciesMs.push(latencyMs)
  },
})
const report: GreedyReport = { sentPerSecond, responses, latenciesMs, kept }
process.send?.(report)
