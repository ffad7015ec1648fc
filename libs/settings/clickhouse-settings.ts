import { nameOf, secret, text, textOrNone, whole } from './setting.ts'

const writers = ['projector', 'migrate'] as const
const readers = ['api', 'lag'] as const
const takenBy = [...writers, ...readers] as const

/** The tables of a cluster. */
export const clickhouseSettings = {
  clickhouseUrl: text({
    takenBy,
    unit: 'URL',
    default: 'http://127.0.0.1:8123',
    bounds: 'http:// or https://, without user or password',
    why: "the server's HTTP interface",
  }),
  clickhouseDatabase: nameOf({
    takenBy,
    unit: '',
    default: 'foldscan',
    why: 'holds all tables; `migrate` makes it',
  }),
  clickhouseUser: text({
    takenBy: writers,
    unit: '',
    default: 'default',
    bounds: 'a name',
    why: 'who makes and writes the tables',
  }),
  clickhousePassword: secret({ takenBy: writers, why: 'of that user' }),
  clickhouseReadUser: text({
    takenBy: readers,
    unit: '',
    default: 'default',
    bounds: 'a name',
    why: 'who reads the tables; needs SELECT only, its profile may forbid changing settings',
  }),
  clickhouseReadPassword: secret({ takenBy: readers, why: 'of that user' }),
  clickhouseCaFile: textOrNone({
    takenBy,
    unit: 'file',
    bounds: 'PEM',
    why: "who signed the server's certificate, if no public authority did",
  }),
  clickhouseQueryTimeoutMs: whole(
    { takenBy, unit: 'ms', default: '10000', why: 'for one question' },
    100,
    600_000,
  ),
  clickhouseCluster: nameOf({
    takenBy: writers,
    unit: '',
    default: '',
    why: 'on a cluster its name: tables are made on all of it, rows wait for a quorum',
  }),
  clickhouseInsertTimeoutMs: whole(
    {
      takenBy: writers,
      unit: 'ms',
      default: '120000',
      why: 'for one insert or one statement of a migration',
    },
    1_000,
    3_600_000,
  ),
}
