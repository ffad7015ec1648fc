import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import getPort from 'get-port'
import { queryEngine } from '../../libs/adapters/clickhouse/query-engine.ts'

/** A user with exactly these rights. */
export interface GrantedUser {
  readonly name: string
  /** As in SQL, without TO and the name. */
  readonly grants: readonly string[]
  /** Settings of its profile. */
  readonly profile?: Readonly<Record<string, string>>
  /** Those of them that it may change although it may only read. */
  readonly changeable?: readonly string[]
}

/** One replica, itself, under that name: what needs a cluster is checked, and answered here. */
export const itself = 'main'
const password = 'of-everyone'
const startTimeoutMs = 60_000
const pollMs = 50

/** An engine that grants as little as the default configuration of a ClickHouse server does. */
export async function grantedEngine(users: readonly GrantedUser[]) {
  const folder = mkdtempSync(join(tmpdir(), 'foldscan-test-granted-'))
  const port = await getPort({ host: '127.0.0.1' })
  writeFileSync(join(folder, 'users.xml'), usersXml(users))
  writeFileSync(join(folder, 'config.xml'), configXml(join(folder, 'users.xml')))
  const child = fork(
    fileURLToPath(new URL('../../libs/adapters/clickhouse/engine-child.mjs', import.meta.url)),
    [
      `--path=${join(folder, 'data')}`,
      `--config-file=${join(folder, 'config.xml')}`,
      `--http_port=${port}`,
      '--listen_host=127.0.0.1',
      `--query=SYSTEM START LISTEN HTTP; ${sleepForEver}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], detached: true, execArgv: [] },
  )
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const exited = new Promise((resolve) => child.on('close', resolve))
  const url = `http://127.0.0.1:${port}`
  const addressOf = (username: string) => ({ url, username, password })
  const deadline = Date.now() + startTimeoutMs
  const [first] = users
  while (!(await queryEngine(addressOf(first?.name ?? ''), 'SELECT 1').catch(() => null))) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      throw new Error(`the engine does not answer: ${output.slice(-2_000)}`)
    }
    await pause(pollMs)
  }
  return {
    addressOf,
    async stop() {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const sleepForEver =
  'SELECT sleepEachRow(0.1) FROM numbers(10000000000) FORMAT Null SETTINGS ' +
  'function_sleep_max_microseconds_per_block=0, max_block_size=1, max_threads=1'

const element = (name: string, value: string) => `<${name}>${value}</${name}>`

const usersXml = (users: readonly GrantedUser[]) => `<clickhouse>
  <profiles>
    <default></default>
    ${users.map(profileXml).join('\n    ')}
  </profiles>
  <quotas><default></default></quotas>
  <users>
    <default>
      <password></password>
      <profile>default</profile><quota>default</quota>
      <networks><ip>127.0.0.1</ip></networks>
      <grants><query>GRANT SYSTEM LISTEN ON *.*</query></grants>
    </default>
    ${users.map(userXml).join('\n    ')}
  </users>
</clickhouse>
`

function profileXml({ name, profile = {}, changeable = [] }: GrantedUser): string {
  const settings = Object.entries(profile).map(([setting, value]) => element(setting, value))
  const constraints = changeable.map((one) => element(one, '<changeable_in_readonly/>'))
  return element(name, `${settings.join('')}${element('constraints', constraints.join(''))}`)
}

const userXml = ({ name, grants }: GrantedUser): string =>
  element(
    name,
    [
      element('password', password),
      element('profile', name),
      '<quota>default</quota><networks><ip>127.0.0.1</ip></networks>',
      element('grants', grants.map((grant) => element('query', `GRANT ${grant}`)).join('')),
    ].join(''),
  )

const configXml = (usersPath: string) => `<clickhouse>
  <users_config>${usersPath}</users_config>
  <tcp_port>9000</tcp_port>
  <access_control_improvements>
    <on_cluster_queries_require_cluster_grant>true</on_cluster_queries_require_cluster_grant>
    <select_from_system_db_requires_grant>true</select_from_system_db_requires_grant>
    <table_engines_require_grant>true</table_engines_require_grant>
    <settings_constraints_replace_previous>true</settings_constraints_replace_previous>
  </access_control_improvements>
  <remote_servers>
    <${itself}><shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard></${itself}>
  </remote_servers>
  <http_handlers>
    <rule>
      <headers><Authorization>regex:Basic [A-Za-z0-9+/]+=*</Authorization></headers>
      <handler>
        <type>dynamic_query_handler</type>
        <query_param_name>query</query_param_name>
      </handler>
    </rule>
  </http_handlers>
</clickhouse>
`
