import type { SettingsOf } from '../../../libs/settings/settings.ts'
import { StartupError } from '../refusal.ts'
import { readCertificate } from './authority-file.ts'
import type { ClickhouseAddress } from './denied.ts'

type Reading = SettingsOf<'ingestor' | 'repair' | 'api' | 'lag'>
type Shared = SettingsOf<'projector' | 'migrate' | 'ingestor' | 'repair' | 'api' | 'lag'>

/** For those who write. */
export const writingAddress = (
  settings: SettingsOf<'projector' | 'migrate'>,
): ClickhouseAddress => ({
  ...shared(settings),
  userSetting: 'clickhouse-user',
  username: settings.clickhouseUser,
  password: settings.clickhousePassword ?? '',
  insertTimeoutMs: settings.clickhouseInsertTimeoutMs,
  isCluster: settings.clickhouseCluster !== '',
})

/** For those who only read. */
export const readingAddress = (settings: Reading): ClickhouseAddress => ({
  ...shared(settings),
  userSetting: 'clickhouse-read-user',
  username: settings.clickhouseReadUser,
  password: settings.clickhouseReadPassword ?? '',
})

function shared(settings: Shared) {
  const { clickhouseUrl: url, clickhouseDatabase: database } = settings
  const authority = readCertificate(settings.clickhouseCaFile, '--clickhouse-ca-file')
  return {
    url: bare(url),
    database,
    queryTimeoutMs: settings.clickhouseQueryTimeoutMs,
    ...(authority === null ? {} : { authority }),
  }
}

/** A user in the URL would be said wherever the URL is; a path or a query we would not obey. */
function bare(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isBare =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.search + url.hash === ''
  if (isBare) return text
  throw new StartupError(
    'The address of ClickHouse is not of the form http://host:port or https://host:port; ' +
      'user and password have settings of their own.',
  )
}
