import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeUntrackedFolder } from '../disk/make-untracked-folder.ts'
import { authorizationOf } from './query-engine.ts'

export interface EngineLimits {
  /** Memory of the whole engine; queries beyond it fail, the process does not. */
  readonly memoryMaxBytes: number
  /** Each of the two caches that grow with the tables: marks and primary keys. */
  readonly cacheMaxBytes: number
}

export const username = 'foldscan'

export interface ConfigPaths {
  readonly data: string
  readonly config: string
  /** To be removed once the engine has read it. */
  readonly configFolder: string
}

/**
 * Starting needs a user without password (the engine runs its own first query as `default`, as if
 * from loopback), but any page in a browser may post to a port of this machine. So the port knows
 * one request only: one that carries our name and our password, which is new at each start.
 * Whatever else is asked there is answered 404 before anybody looks for a user.
 *
 * With `access.reader` it has a second user, who may only read: see `EngineReader`.
 *
 * Two engines that race for a folder must not write each other's files.
 */
export function writeConfig(
  folder: string,
  limits: EngineLimits,
  access: EngineAccess,
): ConfigPaths {
  const data = resolve(folder, 'data')
  // The data folder may have been there before, among files that people format.
  makeUntrackedFolder(folder)
  mkdirSync(data, { recursive: true })
  chmodSync(folder, 0o700)
  const configFolder = mkdtempSync(resolve(folder, 'start-'))
  const config = join(configFolder, 'config.xml')
  const users = join(configFolder, 'users.xml')
  writeFileSync(users, usersXml(access), { mode: 0o600 })
  const handlers = access.reader ? serverHandlersXml : onlyOurs(access.password)
  writeFileSync(config, configXml(users, handlers, limits), { mode: 0o600 })
  return { data, config, configFolder }
}

const xmlText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** `clickhouse local` has two merging threads and no log tables already. */
const configXml = (usersPath: string, handlers: string, limits: EngineLimits) => `<clickhouse>
  <users_config>${xmlText(usersPath)}</users_config>
  <max_server_memory_usage>${limits.memoryMaxBytes}</max_server_memory_usage>
  <mark_cache_size>${limits.cacheMaxBytes}</mark_cache_size>
  <primary_index_cache_size>${limits.cacheMaxBytes}</primary_index_cache_size>
  <max_connections>256</max_connections>
  <http_handlers>
${handlers}
  </http_handlers>
</clickhouse>
`

const onlyOurs = (password: string) => `    <rule>
      <headers><Authorization>${authorizationOf({ username, password })}</Authorization></headers>
      <handler>
        <type>dynamic_query_handler</type>
        <query_param_name>query</query_param_name>
      </handler>
    </rule>`

const usersXml = ({ password, reader }: EngineAccess) => `<clickhouse>
  <profiles>
    <default><log_queries>0</log_queries><async_insert>0</async_insert></default>
    ${reader ? readerXml.profile : ''}
  </profiles>
  <quotas><default></default></quotas>
  <users>
    <default>
      <password></password>
      <profile>default</profile><quota>default</quota>
      <networks><ip>127.0.0.1</ip><ip>::1</ip></networks>
      <grants><query>GRANT SYSTEM LISTEN ON *.*</query></grants>
    </default>
    <${username}>
      <password_sha256_hex>${sha256(password)}</password_sha256_hex>
      <profile>default</profile><quota>default</quota>
      <networks><ip>127.0.0.1</ip></networks>
    </${username}>
    ${reader ? readerXml.user(reader, sha256(reader.password)) : ''}
  </users>
</clickhouse>
`

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Users of an engine. With a reader it behaves like a server with several users. */
export interface EngineAccess {
  /** Of the user with all rights. */
  readonly password: string
  readonly reader?: EngineReader
}

/** May select, and nothing else. */
interface EngineReader {
  readonly username: string
  readonly password: string
  /** Beginnings of the names of the databases that it may read. */
  readonly databases: readonly string[]
}

/**
 * Users come from a file: `clickhouse local` has no storage for those created in SQL. `readonly` 1
 * rejects every change of a setting but those of single statements, so the other limits of the api
 * are set here.
 */
const readerXml = {
  profile: `<reader>
      <readonly>1</readonly>
      <max_threads>1</max_threads>
      <output_format_parallel_formatting>0</output_format_parallel_formatting>
      <log_queries>0</log_queries>
      <max_execution_time>10</max_execution_time>
      <max_memory_usage>536870912</max_memory_usage>
      <max_block_size>1024</max_block_size>
      <constraints>
        <max_block_size><changeable_in_readonly/></max_block_size>
        <max_rows_to_read><changeable_in_readonly/></max_rows_to_read>
        <max_bytes_to_sort><changeable_in_readonly/></max_bytes_to_sort>
        <max_result_bytes><changeable_in_readonly/></max_result_bytes>
      </constraints>
    </reader>`,
  user: ({ username, databases }: EngineReader, passwordSha256: string) => `<${username}>
      <password_sha256_hex>${passwordSha256}</password_sha256_hex>
      <profile>reader</profile><quota>default</quota>
      <networks><ip>127.0.0.1</ip></networks>
      <grants>
        ${databases.map((name) => `<query>GRANT SELECT ON ${name}*.*</query>`).join('')}
      </grants>
    </${username}>`,
}

/** `default:` in base64, as far as no later letter changes it. */
const asDefault = 'ZGVmYXVsdD'
const noSuchUser =
  'Code: 516. DB::Exception: default: Authentication failed: password is incorrect, ' +
  'or there is no user with such name. (AUTHENTICATION_FAILED)'

/**
 * The engine itself needs the user `default`, without a password, from loopback; no client may use
 * it. So a request without a user in the Authorization header returns 404, one with that user is
 * rejected like a wrong password, and all others are checked by the engine.
 */
const serverHandlersXml = `    <rule>
      <url>/ping</url>
      <handler>
        <type>static</type><status>200</status><response_content>Ok.&#10;</response_content>
      </handler>
    </rule>
    <rule>
      <headers><Authorization>regex:Basic ${asDefault}.*</Authorization></headers>
      <handler>
        <type>static</type><status>403</status>
        <http_response_headers>
          <X-ClickHouse-Exception-Code>516</X-ClickHouse-Exception-Code>
        </http_response_headers>
        <response_content>${noSuchUser}</response_content>
      </handler>
    </rule>
    <rule>
      <headers><Authorization>regex:Basic [A-Za-z0-9+/]+=*</Authorization></headers>
      <handler>
        <type>dynamic_query_handler</type>
        <query_param_name>query</query_param_name>
      </handler>
    </rule>`
