import { environmentName, fileName } from '../../libs/settings/read-settings.ts'
import type { CommandName, Setting, SettingRow, ValueSchema } from '../../libs/settings/setting.ts'
import { sections, settings } from '../../libs/settings/settings.ts'

/** Commands that pods of the Helm chart run. */
const chartCommands = [
  'ingestor',
  'enricher',
  'projector',
  'api',
  'migrate',
  'topics create',
  'topics check',
] as const satisfies readonly CommandName[]

/** Set by the templates: a pod has its ports, its volume and its group. */
const ofTemplates = [
  'group',
  'host',
  'port',
  'healthHost',
  'healthPort',
  'dataDir',
  'copies',
  'copyEveryHours',
  'json',
]
/** The image has no engine for a demo chain. */
const ofDemo = /^demo/

/** Defaults of the chart, where they are not those of the program. */
const chartDefaults: Readonly<Record<string, string | number | readonly string[]>> = {
  chainId: 1,
  drainSeconds: 15,
  kafkaBrokers: ['kafka:9092'],
  clickhouseUrl: 'http://clickhouse:8123',
  clickhouseUser: 'foldscan',
  clickhouseReadUser: 'foldscan_reader',
}

/** What the chart takes, where that is not what a command line takes. */
const chartForms: Readonly<
  Record<string, Partial<Pick<SettingRow, 'default' | 'bounds' | 'why'>>>
> = {
  source: {
    default: '',
    bounds: 'an absolute folder, or a URL without user, path and query; else `secrets.source`',
    why: 'node to read blocks from, or a folder of block files',
  },
  auditSource: { bounds: 'a URL without user, path and query; else `secrets.auditSource`' },
  kafkaBrokers: { bounds: 'a list of one or more' },
  coinEmitters: { bounds: 'a list of at most 16 addresses, or [none]' },
  ipfsGateways: { bounds: 'a list of at most 3 URLs that end with /, http:// or https://' },
  trustedProxies: { bounds: 'a list of addresses, or of ranges as 10.0.0.0/8' },
}

const inChart = (key: string, row: SettingRow): SettingRow => ({ ...row, ...chartForms[key] })

/** How a value reaches its process: in a ConfigMap, in a file of a Secret, or as a certificate. */
type ChartPlace = 'settings' | 'secrets' | 'certificates'

const all: Readonly<Record<string, Setting<unknown>>> = settings

/** Keys of a section that the chart has, in the order of declaration. */
const chartKeys = Object.keys(all).filter(
  (key) =>
    !ofTemplates.includes(key) &&
    !ofDemo.test(key) &&
    chartCommands.some((command) => all[key]?.row.takenBy.includes(command)),
)

/** A URL may hold a key in its user, path or query: only one that cannot may be a plain value. */
const plainAddress: ValueSchema = {
  type: 'string',
  pattern:
    '^(/[^@\\s]*|[a-z]+://[^@/?#\\s]+(/[0-9]{0,3})?(,[a-z]+://[^@/?#,\\s]+(/[0-9]{0,3})?)*)$',
}

const placesOf = ({ form, unit }: SettingRow): readonly ChartPlace[] => {
  if (form === 'secret') return ['secrets']
  if (form === 'file') return ['settings', 'secrets']
  return unit === 'file' ? ['certificates'] : ['settings']
}

const keysIn = (place: ChartPlace): [string, Setting<unknown>][] =>
  chartKeys.flatMap((key) => {
    const setting = all[key]
    return setting && placesOf(setting.row).includes(place) ? [[key, setting]] : []
  })

/** `$defs` of the schema of the chart's values: settings for all, of each service, and the rest. */
export function chartDefinitions(): Record<string, unknown> {
  const ofService = (command: CommandName) =>
    settingsSchema(keysIn('settings').filter(([, { row }]) => row.takenBy.includes(command)))
  return {
    settings: settingsSchema(keysIn('settings')),
    ...Object.fromEntries(
      (['api', 'ingestor', 'enricher', 'projector'] as const).map((command) => [
        `${command}Settings`,
        ofService(command),
      ]),
    ),
    secretSettings: references('secrets', 'secretKey'),
    certificateSettings: references('certificates', 'certificate'),
  }
}

const settingsSchema = (taken: readonly [string, Setting<unknown>][]) => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    taken.map(([key, { row, values }]) => [
      key,
      { description: row.why, ...(row.form === 'file' ? plainAddress : values) },
    ]),
  ),
})

const references = (place: ChartPlace, definition: string) =>
  Object.fromEntries(
    keysIn(place).map(([key, { row }]) => [
      key,
      { description: row.why, $ref: `#/$defs/${definition}` },
    ]),
  )

/** For the templates: by key, its variables and the commands that take it. */
export const chartVariables = (): Record<string, unknown> =>
  Object.fromEntries(
    chartKeys.flatMap((key) => {
      const row = all[key]?.row
      if (row === undefined) return []
      const isFile = row.form === 'secret' || row.form === 'file'
      const variable = environmentName(key)
      const file = row.unit === 'file' ? { file: variable } : {}
      const takenBy = chartCommands.filter((command) => row.takenBy.includes(command))
      return [[key, { variable, ...(isFile ? { file: fileName(key) } : file), takenBy }]]
    }),
  )

/** The settings part of values.yaml: what has a default of the chart, and the rest as comments. */
export function printChartSettings(): string {
  const parts = Object.entries(sections).flatMap(([heading, rows]) => {
    const keys = keysIn('settings').filter(([key]) => key in rows)
    return keys.length === 0 ? [] : [`  ## ${heading}`, ...keys.flatMap(settingLines)]
  })
  return ['settings:', ...parts].join('\n')
}

const widthMax = 96

function settingLines([key, setting]: [string, Setting<unknown>]): string[] {
  const row = inChart(key, setting.row)
  const facts = [row.unit || 'flag', row.bounds.replaceAll('`', '')].join('; ')
  const comment = wrapped(`${row.why} (${facts})`).map((line) => `  # ${line}`)
  const given = chartDefaults[key]
  if (given === undefined) {
    return [...comment, `  # ${key}: ${valueText(row, setting.values)}`.trimEnd(), '']
  }
  return [...comment, `  ${key}: ${JSON.stringify(given)}`, '']
}

function valueText({ default: text, unit }: SettingRow, { type }: ValueSchema): string {
  if (type === 'array') return listText(text)
  return /^(?:true|false|\d+)$/.test(text) && unit !== 'name' ? text : JSON.stringify(text)
}

/** A default as the command line has it, as a value of the chart. */
const listText = (text: string): string => JSON.stringify(text === '' ? [] : text.split(','))

function wrapped(text: string): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last === '') lines[lines.length - 1] = word
    else if (last.length + 1 + word.length > widthMax) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

/** The table of the settings, secrets and certificates in the chart's README. */
export const printChartTable = (): string =>
  [
    '| value | default | bounds | meaning |',
    '|---|---|---|---|',
    ...(['settings', 'secrets', 'certificates'] as const).flatMap((place) =>
      keysIn(place).map(([key, setting]) => {
        const row = inChart(key, setting.row)
        const given = chartDefaults[key]
        const isList = setting.values.type === 'array' && row.default !== ''
        const own = isList ? listText(row.default) : row.default
        const shown = given === undefined ? own : JSON.stringify(given)
        const fallback = place === 'settings' && shown !== '' ? `\`${shown}\`` : '-'
        const bounds = place === 'settings' ? row.bounds : referenceForm(place)
        return `| \`${place}.${key}\` | ${fallback} | ${bounds} | ${row.why} |`
      }),
    ),
  ].join('\n')

const referenceForm = (place: 'secrets' | 'certificates') =>
  place === 'secrets' ? 'a key of a Secret' : 'a key of a Secret or ConfigMap; certificates as PEM'
