import { logLevels } from '../signals/logger.ts'
import { commandClasses } from './command-classes.ts'
import {
  booleanSetting,
  choiceSetting,
  integerSetting,
  optionalInteger,
  optionalText,
  requiredChoice,
  textSetting,
} from './setting.ts'

/** Of the process itself: what it does, where it listens, where it stores, how much it logs. */
export const processSettings = {
  group: requiredChoice(
    {
      takenBy: commandClasses.group,
      unit: 'group',
      why: 'group of tables that a projector writes',
    },
    ['ledger', 'state', 'dimensions'],
  ),
  chainId: optionalInteger(
    {
      takenBy: commandClasses.chain,
      unit: 'chain id',
      why: 'chain of this deployment: the first `migrate` needs it, later it is only compared',
    },
    1,
    Number.MAX_SAFE_INTEGER,
  ),
  host: textSetting({
    takenBy: commandClasses.serve,
    unit: 'address',
    default: '127.0.0.1',
    bounds: 'an address of this machine',
    why: 'listen address of the API; the default is reachable from this machine only',
  }),
  port: integerSetting(
    {
      takenBy: commandClasses.serve,
      unit: 'port',
      default: '4000',
      why: 'listen port of the API; 0 takes a free one',
    },
    0,
    65_535,
  ),
  publishedTypes: booleanSetting({
    takenBy: commandClasses.serve,
    why:
      'return `gas_limit`, and `holders_count` in token-balances, as strings, as the published ' +
      'schema of the API has them, for clients that were generated from it',
  }),
  statusPage: choiceSetting(
    {
      takenBy: commandClasses.serve,
      unit: 'mode',
      default: 'shown',
      why:
        'live status page at `/`, for everyone who reaches the API: head, lag, rates, sizes of ' +
        'tables; `hidden`: `/` leads to `/docs`',
    },
    ['shown', 'hidden'],
  ),
  figuresStepSeconds: integerSetting(
    {
      takenBy: commandClasses.serve,
      unit: 's',
      default: '30',
      why:
        'interval of chain time at which holder counts, supplies and rates of tokens in lists are ' +
        'refreshed; 0: with every block',
    },
    0,
    3_600,
  ),
  pageCacheBytesMax: integerSetting(
    {
      takenBy: commandClasses.serve,
      unit: 'bytes',
      default: '67108864',
      why: 'maximum size of the cache of response bodies in this process',
    },
    1_048_576,
    68_719_476_736,
  ),
  connectionsMax: optionalInteger(
    {
      takenBy: commandClasses.serve,
      unit: 'connections',
      why:
        'maximum open connections of clients in this process, further ones are closed at once; ' +
        'by default 16384, or the open-file limit less 512 (less half, if that is smaller) where ' +
        'this is less',
    },
    16,
    1_000_000,
  ),
  drainSeconds: integerSetting(
    {
      takenBy: ['api'],
      unit: 's',
      default: '0',
      why:
        'time after SIGTERM in which the API reports not ready, still answers, and closes each ' +
        'connection after its response; longer than what a load balancer needs to notice',
    },
    0,
    300,
  ),
  healthHost: textSetting({
    takenBy: commandClasses.service,
    unit: 'address',
    default: '127.0.0.1',
    bounds: 'an address of this machine',
    why: 'listen address of health and metrics; the default is reachable from this machine only',
  }),
  healthPort: integerSetting(
    {
      takenBy: commandClasses.service,
      unit: 'port',
      default: '4100',
      why:
        'listen port of /health/live, /health/ready and /metrics; 0 takes a free one; `up` serves ' +
        'them on the port of its API',
    },
    0,
    65_535,
  ),
  dataDir: textSetting({
    takenBy: commandClasses.folder,
    unit: 'folder',
    default: './.foldscan',
    bounds: 'a folder that can be written',
    why: 'folder for local state: of `up` everything, of a service its volume',
  }),
  copies: optionalText({
    takenBy: ['projector', 'state copy'],
    requiredBy: ['state copy'],
    unit: 'folder',
    bounds: 'a folder on another disk than the volume, with file locks: no object store',
    why:
      'folder for copies of the volume: `projector` makes them, and starts from the one that has ' +
      'folded most if its volume is empty; by default there are none',
  }),
  copyEveryHours: integerSetting(
    {
      takenBy: ['projector'],
      unit: 'h',
      default: '6',
      why: 'age of the newest copy of the volume at which it is copied again',
    },
    1,
    8_760,
  ),
  logLevel: choiceSetting(
    {
      takenBy: commandClasses.all,
      unit: 'level',
      default: 'info',
      why: 'minimum level of log lines',
    },
    logLevels,
  ),
}
