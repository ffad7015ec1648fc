/** Who may ask an engine. With a reader it answers as a server for several users does. */
export interface EngineAccess {
  /** Of the user who may do all. */
  readonly password: string
  readonly reader?: EngineReader
}

/** May select, and nothing else. */
export interface EngineReader {
  readonly username: string
  readonly password: string
  /** Beginnings of the names of the databases that it may read. */
  readonly databases: readonly string[]
}

/**
 * Users come from a file: `clickhouse local` has no storage for those that SQL creates.
 * `readonly` 1 refuses every change of a setting, so the limits of the api stand here.
 */
export const readerXml = {
  profile: `<reader>
      <readonly>1</readonly>
      <max_threads>1</max_threads>
      <log_queries>0</log_queries>
      <max_execution_time>10</max_execution_time>
      <max_memory_usage>536870912</max_memory_usage>
      <max_block_size>1024</max_block_size>
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
 * The engine needs the user `default`, without a password and from loopback, for itself; nobody
 * else shall be him. So who gives no name in the one header that we know is answered 404, who
 * gives that one is refused as a wrong password is, and all others meet the engine's own check.
 */
export const serverHandlersXml = `    <rule>
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
