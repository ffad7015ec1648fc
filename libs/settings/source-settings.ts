import { coinEmittersMax } from '../chain/coin-emitters.ts'
import { commandClasses } from './command-classes.ts'
import {
  booleanSetting,
  choiceSetting,
  integerSetting,
  optionalAccounts,
  optionalInteger,
  optionalText,
  textSetting,
} from './setting.ts'

const takenBy = commandClasses.source
/** Commands that ask a node. */
const askingNode = commandClasses.node

/** How blocks are proved. */
export const headerRules = ['ethereum', 'linked'] as const
export type HeaderRules = (typeof headerRules)[number]

/** Where blocks come from. */
export const sourceSettings = {
  source: textSetting({
    takenBy: askingNode,
    requiredBy: ['ingestor', 'enricher', 'repair'],
    missing: 'Name the node: --source URL. The demo chain is --source demo.',
    unit: 'source',
    default: 'demo',
    bounds: 'demo, a folder, or an http(s):// or ws(s):// URL',
    why:
      'node to read blocks from, a folder of block files, or a demo chain on this machine; of ' +
      '`audit` a node, or the demo chain of a running `up` with the same `--data-dir`',
    form: 'file',
  }),
  fromBlock: optionalInteger(
    {
      takenBy,
      unit: 'block',
      why: 'first block to index where the log is still empty; by default the first of the source',
    },
    0,
    Number.MAX_SAFE_INTEGER,
  ),
  allowGaps: booleanSetting({
    takenBy,
    why: 'skip blocks that a folder lacks; balances that they may have changed become unknown',
  }),
  headerRules: choiceSetting(
    {
      takenBy,
      unit: 'mode',
      default: 'ethereum',
      why:
        "how blocks are proved: by Ethereum's hashes, blooms and receipts roots, or, for chains " +
        'with other headers, only by numbers, parent hashes, counts and ascending indexes (`linked`)',
    },
    headerRules,
  ),
  coinEmitters: optionalAccounts(
    {
      takenBy: commandClasses.coin,
      why:
        'addresses whose logs are those of the coin itself, not of a token; by default the system ' +
        'address of EIP-7708. Recorded in each new block: a change applies to later blocks only',
    },
    coinEmittersMax,
  ),
  nodeRequests: integerSetting(
    {
      takenBy: askingNode,
      unit: 'requests',
      default: '8',
      why: 'maximum concurrent requests to the node',
    },
    1,
    256,
  ),
  nodeBatchCalls: integerSetting(
    {
      takenBy: askingNode,
      unit: 'calls',
      default: '64',
      why: 'maximum calls in one batch request to the node; halved when it refuses',
    },
    1,
    1_000,
  ),
  nodeCallGas: integerSetting(
    {
      takenBy: commandClasses.contracts,
      unit: 'gas',
      default: '500000',
      why: 'maximum gas of one call of a contract, for names and balances; a call that needs more stays unanswered',
    },
    50_000,
    50_000_000,
  ),
  sweptPairs: integerSetting(
    {
      takenBy: ['up', 'ingestor'],
      unit: 'pairs',
      default: '256',
      why:
        'pairs of a token and a holder that the node is asked for after each new block, of tokens ' +
        'that are older than the log or that transfers do not explain; 0: none',
    },
    0,
    10_000,
  ),
  auditSource: optionalText({
    takenBy: ['api'],
    unit: 'url',
    bounds: 'an http(s):// or ws(s):// URL',
    why:
      'node whose state a sample of what this process shows is compared with, all the time; by ' +
      'default there is none',
    form: 'file',
  }),
  audit: booleanSetting({
    takenBy: ['up'],
    why: 'compare a sample of what is shown with the state of the node, all the time',
  }),
  auditCallsPerSecond: integerSetting(
    {
      takenBy: commandClasses.serve,
      unit: 'calls',
      default: '50',
      why: 'maximum calls to the node in a second of `--audit` and `--audit-source`',
    },
    1,
    10_000,
  ),
  demoSeed: integerSetting(
    {
      takenBy,
      unit: 'seed',
      default: '1',
      why: 'seed of the demo traffic: the same seed makes the same blocks',
    },
    0,
    4_294_967_295,
  ),
  demoBacklogTransactions: integerSetting(
    {
      takenBy,
      unit: 'transactions',
      default: '3000',
      why: 'transactions of the demo chain that are mined at its first start',
    },
    0,
    100_000,
  ),
  demoBlockIntervalMs: integerSetting(
    {
      takenBy,
      unit: 'ms',
      default: '2000',
      why:
        'time between two blocks of the demo chain; below 1000, block times run ahead of the clock, ' +
        'because each is at least one second after the one before',
    },
    100,
    600_000,
  ),
}
