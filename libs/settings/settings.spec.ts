import { describe, expect, it } from 'vitest'
import { printSettings } from '../../deploy/print/settings-page.ts'
import { commandClasses } from './command-classes.ts'
import { environmentName, fileName, readSettings, settingKeys } from './read-settings.ts'
import type { Setting } from './setting.ts'
import { settings } from './settings.ts'

const ofUp = (
  flags: Record<string, string>,
  environment: Record<string, string | undefined> = {},
) => readSettings('up', { flags, environment })

const withFiles = (environment: Record<string, string>, files: Record<string, string>) =>
  readSettings('projector', {
    flags: { group: 'state' },
    environment,
    readFile: (path) => {
      const text = files[path]
      if (text === undefined) throw new Error('ENOENT')
      return text
    },
  })

describe('a setting', () => {
  it('has its default when it is not given', () => {
    expect(ofUp({})).toMatchObject({
      source: 'demo',
      host: '127.0.0.1',
      port: 4000,
      dataDir: './.foldscan',
      fromBlock: null,
      allowGaps: false,
    })
  })

  it('is read from the environment', () => {
    expect(ofUp({}, { FOLDSCAN_FROM_BLOCK: '17', PORT: '1' })).toMatchObject({
      fromBlock: 17,
      port: 4000,
    })
  })

  it('obeys its flag before the environment', () => {
    expect(ofUp({ port: '5' }, { FOLDSCAN_PORT: '6' }).port).toBe(5)
  })

  it('counts a blank variable as absent', () => {
    expect(ofUp({}, { FOLDSCAN_PORT: '' }).port).toBe(4000)
  })

  it.each([
    ['port', '65536', '--port is above 65535'],
    ['port', '-1', '--port is not a whole number'],
    ['port', '0x10', '--port is not a whole number'],
    ['fromBlock', '1e3', '--from-block is not a whole number'],
    ['allowGaps', 'yes', '--allow-gaps is neither false nor true'],
    ['logLevel', 'loud', '--log-level is none of debug, info, warn, error, silent'],
    ['source', ' ', '--source is blank'],
  ])('names itself when %s is %s', (key, value, sentence) => {
    expect(() => ofUp({ [key]: value }, {})).toThrow(sentence)
  })

  it('that is unknown is refused, with the nearest that exists', () => {
    expect(() => ofUp({}, { FOLDSCAN_PROT: '1' })).toThrow(
      'There is no setting FOLDSCAN_PROT; the nearest is FOLDSCAN_PORT.',
    )
    expect(() => ofUp({ dataDri: 'x' }, {})).toThrow('the nearest is --data-dir')
  })

  it('is complained of together with all others that are wrong', () => {
    expect(() => ofUp({ port: 'x' }, { FOLDSCAN_HOTS: 'y' })).toThrow(/FOLDSCAN_HOTS[\s\S]*--port/)
  })

  it.each(settingKeys)('%s has a unit, bounds, a meaning and commands', (key) => {
    const row = Object.entries(settings).find(([name]) => name === key)?.[1].row
    expect(row?.why).toMatch(/\w+ \w+/)
    expect(row?.unit === '').toBe(row?.form === 'flag')
    expect(row?.bounds).not.toBe('')
    expect(row?.takenBy.length).toBeGreaterThan(0)
    expect(environmentName(key)).toMatch(/^FOLDSCAN_[A-Z_]+$/)
  })

  it.each(Object.entries(settings))(
    '%s has the same bounds in documents',
    (_, { schema, values }) => {
      const takes = (text: string) => schema.safeParse(text).success
      if (values.type === 'integer') {
        const { minimum, maximum } = values
        expect([minimum, maximum].map(String).map(takes)).toEqual([true, true])
        expect([minimum - 1, maximum + 1].map(String).map(takes)).toEqual([false, false])
      } else if (values.type === 'boolean') {
        expect(['true', 'false', 'yes'].map(takes)).toEqual([true, true, false])
      } else if ('enum' in values) {
        expect([...values.enum, 'x'].filter(takes)).toEqual(values.enum)
      } else {
        const text = values.type === 'array' ? values.items : values
        const pattern = 'pattern' in text ? (text.pattern ?? '') : ''
        // A secret may be any text; what is blank counts as not given.
        const words = ['x', 'x'.repeat(100), 'x'.repeat(101), 'a b', '']
        for (const word of words.filter((one) => one !== '' || !takes(one))) {
          expect(takes(word), word).toBe(new RegExp(pattern).test(word))
        }
      }
    },
  )

  it('of trusted proxies is a list of addresses and ranges', () => {
    const proxies = (text: string) => ofUp({ trustedProxies: text }, {}).trustedProxies
    expect(ofUp({}, {}).trustedProxies).toEqual([])
    const ranges = ['10.0.0.0/8', '192.0.2.7', '::1', '2001:db8::/32', '0.0.0.0/0']
    expect(proxies(ranges.join(', '))).toEqual(ranges)
    for (const other of ['10.0.0.0/33', '::/129', '10.0.0/8', 'proxy', '1.1.1.1/8/8', '1.1.1.1/']) {
      expect(() => proxies(`10.0.0.1,${other}`), other).toThrow('--trusted-proxies is no list of')
    }
  })

  it('has a default within its bounds, or must be given', () => {
    const ofCommand = (command: 'topics check' | 'api' | 'migrate') =>
      readSettings(command, { flags: {}, environment: {} })
    expect(ofCommand('topics check')).toMatchObject({
      kafkaBrokers: ['127.0.0.1:9092'],
      kafkaTopicPrefix: '',
    })
    expect(ofCommand('api')).toMatchObject({
      clickhouseReadPassword: null,
      redisUrl: null,
      healthHost: '127.0.0.1',
    })
    expect(ofCommand('migrate')).toMatchObject({ chainId: null, clickhouseCluster: '' })
    expect(() => readSettings('projector', { flags: {}, environment: {} })).toThrow(
      '--group is missing: group of tables that a projector writes (ledger, state, dimensions).',
    )
  })
})

describe('a source', () => {
  it('is a demo chain on one machine, and has to be named on servers', () => {
    expect(ofUp({}).source).toBe('demo')
    const required = 'Name the node: --source URL. The demo chain is --source demo.'
    const none = { flags: {}, environment: {} }
    expect(() => readSettings('ingestor', none)).toThrow(required)
    expect(() => readSettings('repair', { ...none, flags: { from: '1' } })).toThrow(required)
    expect(
      readSettings('ingestor', { flags: {}, environment: { FOLDSCAN_SOURCE: 'demo' } }),
    ).toMatchObject({
      source: 'demo',
    })
  })
})

describe('a command', () => {
  it('refuses the flag of another, and takes no value from it', () => {
    expect(() => ofUp({ kafkaBrokers: 'x:1' })).toThrow('There is no setting --kafka-brokers')
    expect(ofUp({}, { FOLDSCAN_KAFKA_BROKERS: 'x:1' })).not.toHaveProperty('kafkaBrokers')
  })

  it('ignores settings of other commands in the same environment', () => {
    expect(ofUp({}, { FOLDSCAN_HEALTH_PORT: 'nonsense' }).port).toBe(4000)
  })

  it('splits a list at its commas', () => {
    const { kafkaBrokers } = readSettings('topics check', {
      flags: { kafkaBrokers: 'one:9092, two:9092' },
      environment: {},
    })
    expect(kafkaBrokers).toEqual(['one:9092', 'two:9092'])
    expect(() =>
      readSettings('topics check', { flags: { kafkaBrokers: 'one:9092,' }, environment: {} }),
    ).toThrow('--kafka-brokers is a list with an empty place')
  })
})

describe('a secret', () => {
  const path = '/run/secrets/clickhouse'
  const variable = fileName('clickhousePassword')

  it('comes from a file without the line end of its editor', () => {
    const read = withFiles({ [variable]: path }, { [path]: ' hunter 2 \n' })
    expect(read.clickhousePassword).toBe(' hunter 2 ')
  })

  it('comes from the environment', () => {
    const read = withFiles({ FOLDSCAN_CLICKHOUSE_PASSWORD: 'hunter2' }, {})
    expect(read.clickhousePassword).toBe('hunter2')
  })

  it('has no flag: processes are listed with theirs', () => {
    expect(() =>
      readSettings('migrate', { flags: { clickhousePassword: 'hunter2' }, environment: {} }),
    ).toThrow('has no flag')
  })

  it('that stands twice is complained of, without saying it', () => {
    const twice = { [variable]: path, FOLDSCAN_CLICKHOUSE_PASSWORD: 'hunter2' }
    expect(() => withFiles(twice, { [path]: 'hunter3' })).toThrow(/are both set: keep one\.$/)
    expect(() => withFiles(twice, { [path]: 'hunter3' })).not.toThrow(/hunter/)
  })

  it('whose file cannot be read is complained of by the name of the file', () => {
    expect(() => withFiles({ [variable]: path }, {})).toThrow(
      `${variable}: the file ${path} cannot be read.`,
    )
  })

  it('of another command is not even looked for', () => {
    expect(ofUp({}, { [variable]: '/no/such/file' }).port).toBe(4000)
  })

  it('in the URL of a source is not in an error', () => {
    expect(() => ofUp({ host: ' ', port: 'https://user:hunter2@node' })).not.toThrow(/hunter2/)
  })
})

describe('the printed page', () => {
  it('has a table a section, and both names of a secret', () => {
    expect(printSettings().match(/^## .+$/gm)).toEqual([
      '## Process',
      '## Source',
      '## Off-chain facts',
      '## Kafka',
      '## ClickHouse',
      '## Redis',
      '## Limits of requests',
      '## Operators',
    ])
    expect(printSettings()).toContain('`FOLDSCAN_KAFKA_PASSWORD`<br>`FOLDSCAN_KAFKA_PASSWORD_FILE`')
  })

  it('has a word for each set of more than two commands, and none that is unused', () => {
    const nameOf = (commands: readonly string[]) => commands.toSorted().join()
    const classes = Object.values(commandClasses).map(nameOf)
    const taken = Object.values<Setting<unknown>>(settings).map(({ row }) => row.takenBy)
    const large = taken.filter(({ length }) => length > 2).map(nameOf)
    expect(new Set(classes).size).toBe(classes.length)
    expect(large.filter((each) => !classes.includes(each))).toEqual([])
    expect(classes.filter((each) => !taken.map(nameOf).includes(each))).toEqual([])
  })
})
