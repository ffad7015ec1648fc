import { integerSetting, optionalText, textSetting } from './setting.ts'

const takenBy = ['api', 'projector'] as const

/** The Redis that the processes of a deployment share as a cache. */
export const redisSettings = {
  redisUrl: optionalText({
    takenBy,
    unit: 'url',
    bounds: 'redis:// or rediss://',
    why: 'URL of the shared cache of pages and rows; without it every process has its own only',
    form: 'file',
  }),
  redisCaFile: optionalText({
    takenBy,
    unit: 'file',
    bounds: 'PEM',
    why: "CA certificate of the server's, if it is not publicly trusted",
  }),
  redisPrefix: textSetting({
    takenBy,
    unit: 'text',
    default: 'foldscan:',
    bounds: 'any text',
    why: 'prefix of every key; each deployment needs its own',
  }),
  redisTimeoutMs: integerSetting(
    {
      takenBy,
      unit: 'ms',
      default: '100',
      why: 'time limit of one command; a later reply counts as a miss',
    },
    1,
    10_000,
  ),
}
