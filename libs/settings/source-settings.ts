import { text, whole, wholeOrNone, yesOrNo } from './setting.ts'

const takenBy = ['up', 'ingestor', 'repair'] as const

/** Where blocks come from. */
export const sourceSettings = {
  source: text({
    takenBy,
    unit: '',
    default: 'demo',
    bounds: 'demo, a folder, or an http(s):// or ws(s):// URL',
    why: 'where blocks come from',
    form: 'file',
  }),
  fromBlock: wholeOrNone(
    {
      takenBy,
      unit: 'block',
      why: 'first block to index on an empty data folder; without it the first of the source',
    },
    0,
    Number.MAX_SAFE_INTEGER,
  ),
  allowGaps: yesOrNo({
    takenBy,
    default: 'false',
    why: 'go on across blocks that a folder lacks; balances derived across them become unknown',
  }),
  nodeRequests: whole(
    {
      takenBy,
      unit: 'requests',
      default: '8',
      why: 'in flight to a node at a time; lower it for a shy one',
    },
    1,
    256,
  ),
  nodeBatchCalls: whole(
    {
      takenBy,
      unit: 'calls',
      default: '64',
      why: 'in one request to a node; halved when it refuses',
    },
    1,
    1_000,
  ),
  demoSeed: whole(
    {
      takenBy,
      unit: 'seed',
      default: '1',
      why: 'of the demo traffic: the same seed, the same blocks',
    },
    0,
    4_294_967_295,
  ),
  demoBacklogTransactions: whole(
    {
      takenBy,
      unit: 'transactions',
      default: '3000',
      why: 'mined before the demo chain goes live',
    },
    0,
    100_000,
  ),
  demoBlockIntervalMs: whole(
    {
      takenBy,
      unit: 'ms',
      default: '2000',
      why:
        'between two blocks of the live demo chain; below 1000 its time runs ahead of the clock, ' +
        'as each block is at least a whole second later than the one before',
    },
    100,
    600_000,
  ),
}
