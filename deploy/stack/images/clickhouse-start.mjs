// The engine of the npm packages as the official ClickHouse image answers: HTTP on 8123, the user
// CLICKHOUSE_USER, further users from users.d, tables in /var/lib/clickhouse.
import { fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const { CLICKHOUSE_USER: name = 'foldscan', CLICKHOUSE_PASSWORD: password = '' } = process.env
if (!/^[a-z_]+$/.test(name)) throw new Error(`not a name of a user: ${name}`)
if (password === '') throw new Error('CLICKHOUSE_PASSWORD is empty')

const folder = '/etc/clickhouse-server'

writeFileSync(
  `${folder}/config.xml`,
  `<clickhouse>
  <users_config>${folder}/users.xml</users_config>
  <max_server_memory_usage>2147483648</max_server_memory_usage>
</clickhouse>
`,
)
writeFileSync(
  `${folder}/users.xml`,
  `<clickhouse>
  <profiles><default><async_insert>0</async_insert></default></profiles>
  <quotas><default></default></quotas>
  <users>
    <default>
      <password></password><profile>default</profile><quota>default</quota>
      <networks><ip>127.0.0.1</ip><ip>::1</ip></networks>
      <grants><query>GRANT SYSTEM LISTEN ON *.*</query></grants>
    </default>
    <${name}>
      <password from_env="CLICKHOUSE_PASSWORD"/><profile>default</profile><quota>default</quota>
      <networks><ip>::/0</ip></networks>
    </${name}>
  </users>
</clickhouse>
`,
)
const forEver =
  'SELECT sleepEachRow(0.1) FROM numbers(10000000000) FORMAT Null SETTINGS ' +
  'function_sleep_max_microseconds_per_block=0, max_block_size=1, max_threads=1'
const engine = fork('/opt/engine/engine-child.mjs', [
  '--path=/var/lib/clickhouse',
  `--config-file=${folder}/config.xml`,
  '--http_port=8123',
  '--listen_host=0.0.0.0',
  `--query=SYSTEM START LISTEN HTTP; ${forEver}`,
])
// It ignores SIGTERM itself; what was acknowledged is on the disk.
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => engine.kill('SIGKILL'))
engine.on('exit', (code) => process.exit(code ?? 0))
