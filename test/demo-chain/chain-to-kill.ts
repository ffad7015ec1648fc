import { startDemoChain } from '../../services/demo-chain/demo-chain.ts'

/** A process with a demo chain that nobody stops; prints its process id. */
const chain = await startDemoChain({
  seed: 1,
  backlogTransactions: 0,
  blockIntervalMs: 1_000,
  log: { info: () => {}, error: () => {} },
})
process.stdout.write(`${chain.pid}\n`)
await chain.exited
