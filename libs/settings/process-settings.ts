import { logLevels } from '../signals/logger.ts'
import { commandNames } from './command.ts'
import { choice, choiceToMake, text, whole, wholeOrNone } from './setting.ts'

const withVolume = ['up', 'ingestor', 'projector', 'repair'] as const
const withHealth = ['ingestor', 'enricher', 'projector', 'api'] as const
const ofChain = ['projector', 'api', 'migrate'] as const

/** Of the process itself: what it does, where it listens and keeps things, how much it says. */
export const processSettings = {
  group: choiceToMake(
    { takenBy: ['projector'], unit: '', why: 'which tables this projector writes' },
    ['ledger', 'state', 'dimensions'],
  ),
  chainId: wholeOrNone(
    {
      takenBy: ofChain,
      unit: 'chain id',
      why: 'the chain of this deployment: the first `migrate` needs it, later it is only compared',
    },
    1,
    Number.MAX_SAFE_INTEGER,
  ),
  host: text({
    takenBy: ['up', 'api'],
    unit: 'address',
    default: '127.0.0.1',
    bounds: 'an address of this machine',
    why: 'where the API listens; only this machine reaches the default',
  }),
  port: whole(
    {
      takenBy: ['up', 'api'],
      unit: 'port',
      default: '4000',
      why: 'of the API; 0 takes a free one',
    },
    0,
    65_535,
  ),
  figuresStepSeconds: whole(
    {
      takenBy: ['up', 'api'],
      unit: 's',
      default: '30',
      why: 'counters, supplies and rates of tokens in lists advance in such steps of chain time; 0: with every block',
    },
    0,
    3_600,
  ),
  healthHost: text({
    takenBy: withHealth,
    unit: 'address',
    default: '127.0.0.1',
    bounds: 'an address of this machine',
    why: 'address that serves health and metrics; only this machine reaches the default',
  }),
  healthPort: whole(
    {
      takenBy: withHealth,
      unit: 'port',
      default: '4100',
      why: 'port of /health/live, /health/ready and /metrics; 0 takes a free one; `up` serves them on the port of its API',
    },
    0,
    65_535,
  ),
  dataDir: text({
    takenBy: withVolume,
    unit: 'folder',
    default: './.foldscan',
    bounds: 'a folder that can be written',
    why: 'all that is kept on this machine: by `up` everything, by a service its volume',
  }),
  logLevel: choice(
    {
      takenBy: commandNames,
      unit: '',
      default: 'info',
      why: 'least important line that is written',
    },
    logLevels,
  ),
}
