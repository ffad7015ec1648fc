import { readFile, writeFile } from 'node:fs/promises'
import { isMap, isScalar, parse, parseDocument, type YAMLMap } from 'yaml'
import { z } from 'zod'
import { settingsOf } from '../../libs/adapters/kafka/topic-settings.ts'
import { version } from '../../libs/signals/version.ts'
import { groupVersions } from '../../libs/tables/declare/group-versions.ts'
import { type Command, commandUsage } from '../../services/cli/command.ts'
import { topicSpecs } from '../../services/cli/serve/servers/open-kafka.ts'
import { dashboardFiles } from '../dashboards/dashboard-files.ts'
import { between, type Markers, markersOf } from './between.ts'
import {
  chartDefinitions,
  chartVariables,
  printChartSettings,
  printChartTable,
} from './print-settings.ts'

const ofValues: Markers = ['# printed by npm run print', '# end of what is printed']
const ofChart: Markers = ['<!-- printed by npm run print -->', '<!-- end of what is printed -->']

const helm = new URL('../../helm/', import.meta.url)

/** By path from the chart's folder, what is printed from the declarations. */
export async function printedChart(): Promise<Map<string, string>> {
  const read = (path: string) => readFile(new URL(path, helm), 'utf8')
  const values = between(await read('foldscan/values.yaml'), ofValues, printChartSettings())
  const page = await read('foldscan/README.md')
  const tables = `${valuesTable(values)}\n\n### Settings\n\n${printChartTable()}`
  const chart = await read('foldscan/Chart.yaml')
  return new Map([
    ['values.yaml', values],
    ['values.schema.json', json(schemaFrom(JSON.parse(await read('chart-values.schema.json'))))],
    ['README.md', between(page, ofChart, tables)],
    ['files/settings.json', json(chartVariables())],
    ['files/topics.json', json(chartTopics())],
    ['files/versions.json', json(groupVersions)],
    ...[...dashboardFiles].map(([path, one]): [string, string] => [path, json(one)]),
    ['Chart.yaml', chart.replace(/^(appVersion|version): .*$/gm, `$1: ${version}`)],
  ])
}

/** Renews the files of the chart that are printed. */
export async function printChart(): Promise<void> {
  for (const [path, text] of await printedChart()) {
    await writeFile(new URL(`foldscan/${path}`, helm), text)
  }
}

const alertsForm = z.object({
  prometheusRule: z.object({ thresholds: z.record(z.string(), z.number()) }),
})

/** The chart's alerts with its default thresholds: a rules file for Prometheus without operator. */
export async function printedAlerts(): Promise<string> {
  const read = (path: string) => readFile(new URL(`foldscan/${path}`, helm), 'utf8')
  const source = await read('files/alerts.yaml')
  const values = alertsForm.parse(parse(await read('values.yaml')))
  const rules = Object.entries({ ...values.prometheusRule.thresholds, runbookUrl: '' }).reduce(
    (text, [name, value]) => text.replaceAll(`\${${name}}`, String(value)),
    source.slice(source.indexOf('groups:')),
  )
  return `${headOfAlerts}${rules}`
}

const headOfAlerts = `\
# Printed by \`npm run print\` from helm/foldscan/files/alerts.yaml, with the thresholds of
# helm/foldscan/values.yaml. Write the address of a copy of this repository before each runbook_url.
`

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

const schemaForm = z.looseObject({
  $defs: z.record(z.string(), z.unknown()),
  properties: z.record(z.string(), z.looseObject({})),
})
const propertiesForm = z.looseObject({ properties: z.record(z.string(), z.unknown()) })

/** The chart's own part of the schema, with the settings in it. */
function schemaFrom(own: unknown): unknown {
  const schema = schemaForm.parse(own)
  const { secretSettings, certificateSettings, ...definitions } = chartDefinitions()
  const withReferences = (part: unknown, references: unknown) => {
    const { properties, ...rest } = propertiesForm.parse(part)
    return { ...rest, properties: { ...properties, ...z.looseObject({}).parse(references) } }
  }
  const { secrets, certificates } = schema.properties
  return {
    ...schema,
    properties: {
      ...schema.properties,
      secrets: withReferences(secrets, secretSettings),
      certificates: withReferences(certificates, certificateSettings),
    },
    $defs: { ...schema.$defs, ...definitions },
  }
}

/**
 * The topics that `topics check` requires, as Strimzi's KafkaTopics; the replicas are the chart's.
 */
const chartTopics = () =>
  topicSpecs({ prefix: '', replicationFactor: 1 }).map((topic) => {
    const { 'min.insync.replicas': _, ...config } = settingsOf(topic)
    return { name: topic.name, config }
  })

/** Paths that the table of the settings shows. */
const elsewhere = ['settings']

/** One row for each value that has a comment above it. */
function valuesTable(values: string): string {
  const { contents } = parseDocument(values)
  if (!isMap(contents)) throw new Error('values.yaml is no map')
  return ['| value | default | meaning |', '|---|---|---|', ...rowsOf(contents, '')].join('\n')
}

function rowsOf(map: YAMLMap, path: string): string[] {
  return map.items.flatMap(({ key, value }, at) => {
    if (!isScalar(key)) return []
    const name = `${path}${String(key.value)}`
    if (elsewhere.includes(name)) return []
    // The parser gives the comment above the first key to the map, unless it begins the document.
    const above = key.commentBefore ?? (at === 0 && path !== '' ? map.commentBefore : null)
    const comment = (above ?? '').split('\n\n').at(-1) ?? ''
    const meaning = comment.replace(/^ /gm, '').replaceAll('\n', ' ').trim()
    if (isMap(value) && value.items.length > 0 && value.flow !== true) {
      const own = meaning === '' ? [] : [`| \`${name}\` | | ${meaning} |`]
      return [...own, ...rowsOf(value, `${name}.`)]
    }
    const text = JSON.stringify(isScalar(value) || isMap(value) ? value.toJSON() : plain(value))
    return [`| \`${name}\` | \`${text}\` | ${meaning} |`]
  })
}

const plain = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'toJSON' in value
    ? JSON.parse(JSON.stringify(value))
    : value

/** `page` with the table of commands between its markers renewed. @throws if they are missing */
export const withCommands = (page: string, commands: readonly Command[]): string =>
  between(page, markersOf('commands'), tableOf(commands))

const tableOf = (commands: readonly Command[]): string =>
  [
    '| command | |',
    '|---|---|',
    ...commands.map((command) => `| \`${commandUsage(command)}\` | ${command.about} |`),
  ].join('\n')
