import {
  choiceSetting,
  integerSetting,
  nameSetting,
  optionalText,
  secretSetting,
  textSetting,
} from './setting.ts'

const writers = ['projector', 'migrate'] as const
/** An ingestor asks once, before it publishes, which chain the tables are of. */
const readers = ['ingestor', 'repair', 'api', 'lag'] as const
const replicaChecks = ['auto', 'on', 'off'] as const
const takenBy = [...writers, ...readers] as const

/** The ClickHouse server that holds the tables. */
export const clickhouseSettings = {
  clickhouseUrl: textSetting({
    takenBy,
    unit: 'url',
    default: 'http://127.0.0.1:8123',
    bounds: 'http:// or https://, without user or password',
    why: "URL of the server's HTTP interface",
  }),
  clickhouseDatabase: nameSetting({
    takenBy,
    default: 'foldscan',
    why: 'database that holds all tables; `migrate` creates it',
  }),
  clickhouseUser: textSetting({
    takenBy: writers,
    unit: 'name',
    default: 'default',
    bounds: 'a user',
    why: 'user that creates and writes the tables',
  }),
  clickhousePassword: secretSetting({ takenBy: writers, why: 'password of `--clickhouse-user`' }),
  clickhouseReadUser: textSetting({
    takenBy: readers,
    unit: 'name',
    default: 'default',
    bounds: 'a user',
    why: 'user that reads the tables; needs SELECT only, and its profile may be read-only',
  }),
  clickhouseReadPassword: secretSetting({
    takenBy: readers,
    why: 'password of `--clickhouse-read-user`',
  }),
  clickhouseCaFile: optionalText({
    takenBy,
    unit: 'file',
    bounds: 'PEM',
    why: "CA certificate of the server's, if it is not publicly trusted",
  }),
  clickhouseQueryTimeoutMs: integerSetting(
    { takenBy, unit: 'ms', default: '10000', why: 'time limit of one query' },
    100,
    600_000,
  ),
  clickhouseCluster: nameSetting({
    takenBy: writers,
    default: '',
    why: 'name of the ClickHouse cluster, if there is one: tables are replicated, inserts wait for a quorum',
  }),
  clickhouseReplicaCheck: choiceSetting(
    {
      takenBy: ['api'],
      unit: 'mode',
      default: 'auto',
      why: 'check that the replica which answers is not behind; auto: where tables are replicated',
    },
    replicaChecks,
  ),
  clickhouseInsertTimeoutMs: integerSetting(
    {
      takenBy: writers,
      unit: 'ms',
      default: '120000',
      why: 'time limit of one insert, or of one statement of a migration',
    },
    1_000,
    3_600_000,
  ),
}
