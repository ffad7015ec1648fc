import { z } from 'zod'
import { logLevels } from '../signals/logger.ts'
import { choice, text, whole, wholeOrNone, yesOrNo } from './setting.ts'

/**
 * Every setting, one row each. `dataDir` is `--data-dir` on the command line and
 * `FOLDSCAN_DATA_DIR` in the environment; the flag wins. The README's table is printed from here.
 */
export const settings = z.strictObject({
  source: text({
    unit: '',
    default: 'demo',
    bounds: 'demo, a folder, or an http(s):// or ws(s):// URL',
    why: 'where blocks come from',
  }),
  host: text({
    unit: 'address',
    default: '127.0.0.1',
    bounds: 'an address of this machine',
    why: 'where the API listens; only this machine reaches the default',
  }),
  port: whole({ unit: 'port', default: '4000', why: 'of the API; 0 takes a free one' }, 0, 65_535),
  dataDir: text({
    unit: 'folder',
    default: './.foldscan',
    bounds: 'a folder that can be written',
    why: 'all that is kept: log, state, tables, demo chain; one process at a time',
  }),
  fromBlock: wholeOrNone(
    {
      unit: 'block',
      why: 'first block to index on an empty data folder; without it the first of the source',
    },
    0,
    Number.MAX_SAFE_INTEGER,
  ),
  allowGaps: yesOrNo({
    default: 'false',
    why: 'go on across blocks that a folder lacks; balances derived across them become unknown',
  }),
  logLevel: choice(
    { unit: '', default: 'info', why: 'least important line that is written' },
    logLevels,
  ),
  nodeRequests: whole(
    {
      unit: 'requests',
      default: '8',
      why: 'in flight to a node at a time; lower it for a shy one',
    },
    1,
    256,
  ),
  nodeBatchCalls: whole(
    { unit: 'calls', default: '64', why: 'in one request to a node; halved when it refuses' },
    1,
    1_000,
  ),
  demoSeed: whole(
    { unit: 'seed', default: '1', why: 'of the demo traffic: the same seed, the same blocks' },
    0,
    4_294_967_295,
  ),
  demoBacklogTransactions: whole(
    { unit: 'transactions', default: '3000', why: 'mined before the demo chain goes live' },
    0,
    100_000,
  ),
  demoBlockIntervalMs: whole(
    {
      unit: 'ms',
      default: '2000',
      why:
        'between two blocks of the live demo chain; below 1000 its time runs ahead of the clock, ' +
        'as each block is at least a whole second later than the one before',
    },
    100,
    600_000,
  ),
})

export type Settings = z.output<typeof settings>
