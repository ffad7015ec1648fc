import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readSettings } from '../../libs/settings/read-settings.ts'
import type { CommandName } from '../../libs/settings/setting.ts'
import { settings } from '../../libs/settings/settings.ts'
import { commands } from '../../services/cli/commands.ts'
import { program, withBooleanValues } from '../../services/cli/program.ts'
import { type ComposeService, composeReader } from './compose-project.ts'
import { type MadeSecrets, madeSecrets } from './made-secrets.ts'

const read = await composeReader()
const profiles = ['demo', 'node', 'enricher', 'command']
/** Of the image; what they publish or write beside is checked by their own tests. */
const servers = ['clickhouse', 'kafka', 'redis']
const usersFile = new URL('../../deploy/stack/clickhouse-users.xml', import.meta.url)

describe.skipIf(read === null)('deploy/compose.yaml', () => {
  if (read === null) return
  const secrets = madeSecrets()
  const environment = { STACK_SECRETS: secrets.folder }
  const project = read({ profiles, environment })
  const all = Object.entries(project.services)
  const ours = all.filter(([name]) => !servers.includes(name))

  it.each([
    [[], []],
    [['demo'], ['ingestor-demo']],
    [['node'], ['ingestor']],
    [
      ['demo', 'enricher'],
      ['enricher', 'ingestor-demo'],
    ],
  ])('runs with the profiles %j', (chosen, more) => {
    const { services } = read({ profiles: chosen, environment })
    const always = ['api', 'migrations', 'topics', ...servers]
    const projectors = ['ledger', 'state', 'dimensions'].map((group) => `projector-${group}`)
    expect(Object.keys(services).sort()).toEqual([...always, ...projectors, ...more].sort())
  })

  it('runs commands that foldscan has, with settings that they take', async () => {
    const called = await Promise.all(ours.map(([name, one]) => settingsOf(name, one, secrets)))
    const names = new Set(called.map(({ command }) => command))
    expect(names).toEqual(
      new Set(['topics create', 'migrate', 'ingestor', 'projector', 'enricher', 'api']),
    )
    const groups = called.flatMap(({ values }) => ('group' in values ? [values.group] : []))
    expect(groups.sort()).toEqual(['dimensions', 'ledger', 'state'])
  })

  it('gives a service the secrets that its settings take, and no other', async () => {
    for (const [name, one] of ours) {
      const { command } = await settingsOf(name, one, secrets)
      const wanted = Object.entries(one.environment).flatMap(([variable, value]) => {
        const taken = takenSecret(command, variable)
        return taken ? [value?.replace('/run/secrets/', '')] : []
      })
      const given = one.secrets.map(({ source }) => source).sort()
      if (name !== 'foldscan') expect(given, name).toEqual(wanted.sort())
      expect(JSON.stringify(one), name).not.toMatch(secrets.anyOf)
    }
  })

  it('knows a single broker by the address that it advertises', () => {
    const broker = project.services.kafka?.environment ?? {}
    expect(broker.KAFKA_ADVERTISED_LISTENERS?.split(',')[0]).toBe('OPEN://kafka:9092')
    expect(broker.KAFKA_AUTO_CREATE_TOPICS_ENABLE).toBe('false')
    for (const [name, one] of ours) {
      expect(one.environment.FOLDSCAN_KAFKA_BROKERS, name).toBe('kafka:9092')
      expect(one.environment.FOLDSCAN_KAFKA_REPLICATION_FACTOR, name).toBe('1')
    }
  })

  it('has the users of ClickHouse that the services name, in the database that they take', () => {
    const users = readFileSync(usersFile, 'utf8')
    const server = project.services.clickhouse?.environment ?? {}
    const database = settings.clickhouseDatabase.row.default
    expect(users).toMatch(new RegExp(`GRANT SELECT ON ${database}\\*\\.\\*`))
    for (const [name, one] of ours) {
      expect(one.environment.FOLDSCAN_CLICKHOUSE_USER, name).toBe(server.CLICKHOUSE_USER)
      expect(users).toContain(`<${one.environment.FOLDSCAN_CLICKHOUSE_READ_USER}>`)
    }
  })

  it('waits for servers, then topics and tables, then starts the services', () => {
    const waits = Object.fromEntries(
      all.map(([name, { depends_on }]) => [
        name,
        Object.entries(depends_on).map(([on, { condition }]) => `${on} ${condition}`),
      ]),
    )
    const { topics, migrations, kafka, clickhouse, redis, ...services } = waits
    expect([kafka, clickhouse, redis]).toEqual([[], [], []])
    expect(topics).toEqual(['kafka service_healthy'])
    expect(migrations).toEqual(['clickhouse service_healthy'])
    for (const [name, on] of Object.entries(services)) {
      const completed = ['migrations', 'topics'].map(
        (job) => `${job} service_completed_successfully`,
      )
      expect(on.sort(), name).toEqual(completed)
    }
  })

  it('publishes nothing beyond 127.0.0.1, and the servers not at all', () => {
    const published = all.flatMap(([name, { ports }]) => ports.map((port) => [name, port] as const))
    expect(published.map(([name, { target }]) => [name, target])).toEqual([['api', 4000]])
    const files = ['compose.yaml', 'compose.ports.yaml']
    const withPorts = Object.entries(read({ files, environment }).services)
    const addresses = withPorts.flatMap(([, { ports }]) => ports.map(({ host_ip }) => host_ip))
    expect(addresses).toEqual(Array(4).fill('127.0.0.1'))
    expect(project.networks.servers?.internal).toBe(true)
    for (const name of servers) {
      expect(Object.keys(project.services[name]?.networks ?? {}), name).toEqual(['servers'])
    }
  })

  it('lets no container have rights, memory without a bound, or another image than it names', () => {
    for (const [name, one] of all) {
      expect([one.cap_drop, one.security_opt], name).toEqual([['ALL'], ['no-new-privileges:true']])
      expect(one.privileged, name).toBe(false)
      expect(one.user, name).toMatch(/^[1-9]\d*:[1-9]\d*$/)
      expect(Number(one.mem_limit), name).toBeGreaterThan(0)
      expect(one.image, name).toMatch(/:(?!latest$)[\w.-]+$/)
      // Images of Kafka and ClickHouse write their configuration when they start.
      expect(one.read_only, name).toBe(!['kafka', 'clickhouse'].includes(name))
    }
    for (const [name, one] of ours) expect(one.user, name).toBe('65532:65532')
  })

  it('gives each service that has state a volume of its own', () => {
    const mounted = all.flatMap(([, { volumes }]) =>
      volumes.flatMap(({ type, source }) => (type === 'volume' ? [source] : [])),
    )
    expect(new Set(mounted).size).toBe(mounted.length)
    expect(mounted).toHaveLength(8)
    for (const [name, { volumes }] of ours) {
      const isStateful = /^(ingestor|enricher|projector)/.test(name)
      expect(
        volumes.map(({ target }) => target),
        name,
      ).toEqual(isStateful ? ['/data'] : [])
    }
  })

  it('is refused where it is wrong', () => {
    expect(() =>
      read({ files: ['compose.yaml'], environment: { STACK_SECRETS: '/nowhere' } }),
    ).toThrow(/\/nowhere\/clickhouse\.env/)
    expect(() => read({ files: ['stack/pom.xml'] })).toThrow()
  })
})

/** As the service would read them: the real parser, and the files that the script makes. */
async function settingsOf(name: string, one: ComposeService, secrets: MadeSecrets) {
  const words = name === 'foldscan' ? ['topics', 'create'] : (one.command ?? [])
  const called: { command: CommandName; values: object }[] = []
  const noting = commands.map((each) => ({
    ...each,
    run: async (inputs: Parameters<typeof each.run>[0]) => {
      const readFile = (path: string) => secrets.read(path.replace('/run/secrets/', ''))
      called.push({ command: each.name, values: readSettings(each.name, { ...inputs, readFile }) })
      return 0
    },
  }))
  const environment = Object.fromEntries(
    Object.entries(one.environment).map(([variable, value]) => [variable, value ?? undefined]),
  )
  const parser = program({ commands: noting, environment, onExit: () => {} })
  await parser.parseAsync(withBooleanValues(words), { from: 'user' })
  const [call] = called
  if (call === undefined || called.length > 1) throw new Error(`${name} runs ${called.length}`)
  return call
}

/** Whether a command takes the setting that a variable names a file of. */
function takenSecret(command: CommandName, variable: string): boolean {
  if (!variable.endsWith('_FILE')) return false
  const probe = { flags: {}, environment: { [variable]: 'x' } }
  let isRead = false
  const readFile = () => {
    isRead = true
    return ''
  }
  try {
    readSettings(command, { ...probe, readFile })
  } catch {
    // Settings that it lacks here.
  }
  return isRead
}
