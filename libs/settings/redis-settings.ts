import { text, textOrNone, whole } from './setting.ts'

const takenBy = ['api', 'projector'] as const

/** The cache that the processes of a cluster share. */
export const redisSettings = {
  redisUrl: textOrNone({
    takenBy,
    unit: 'URL',
    bounds: 'redis:// or rediss://',
    why: 'pages and rows that all API processes share; without it each keeps its own only',
    form: 'file',
  }),
  redisCaFile: textOrNone({
    takenBy,
    unit: 'file',
    bounds: 'PEM',
    why: "who signed the server's certificate, if no public authority did",
  }),
  redisPrefix: text({
    takenBy,
    unit: '',
    default: 'foldscan:',
    bounds: 'any text',
    why: 'before each key; one deployment each',
  }),
  redisTimeoutMs: whole(
    { takenBy, unit: 'ms', default: '100', why: 'for one answer; what comes later is absent' },
    1,
    10_000,
  ),
}
