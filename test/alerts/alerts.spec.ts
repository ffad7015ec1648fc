import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { testedBinary } from '../support/tested-binary.ts'
import { type AlertCase, alertCases, type Series } from './alert-cases.ts'
import { Promtool } from './promtool.ts'

const rulesFile = fileURLToPath(new URL('../../deploy/alerts/foldscan.rules.yaml', import.meta.url))
const form = z.object({
  groups: z.tuple([
    z.object({
      rules: z.array(
        z.looseObject({
          alert: z.string(),
          labels: z.record(z.string(), z.string()),
          annotations: z.record(z.string(), z.string()),
        }),
      ),
    }),
  ]),
})
const { rules } = form.parse(parse(readFileSync(rulesFile, 'utf8'))).groups[0]

interface UnitTest {
  readonly alert: string
  readonly at: string
  readonly series: Series
  readonly expected: readonly object[]
}

const binary = await testedBinary('promtool')

describe.skipIf(binary === null)('the alerts, as Prometheus evaluates them', () => {
  if (binary === null) return
  const promtool = new Promtool(binary)
  afterAll(() => promtool.remove())

  const failureOf = (test: UnitTest) =>
    promtool.failureOf({ rule_files: [rulesFile], tests: [testOf(test)] })

  it('are rules that Prometheus takes', () => {
    expect(promtool.check(rulesFile)).toContain(`SUCCESS: ${rules.length} rules found`)
  })

  it('have cases, each of them', () => {
    expect(Object.keys(alertCases)).toEqual(rules.map(({ alert }) => alert))
  })

  it.each(rules)('$alert fires when it should, and is silent when not', (rule) => {
    const { alert } = rule
    const { at, fires, silent, labels } = caseOf(alert)
    const firing = { exp_labels: { ...rule.labels, ...labels }, exp_annotations: rule.annotations }
    expect(failureOf({ alert, at, series: fires, expected: [firing] })).toBeNull()
    expect(failureOf({ alert, at, series: silent, expected: [] })).toBeNull()
    expect(failureOf({ alert, at, series: fires, expected: [] })).toContain('FAILED')
  })

  it.each([
    ['the end of all processes of a kind', {}, 'api'],
    ['an ingestor that waits at its start', { foldscan_published_position: '5x30' }, 'ingestor'],
    ['an api that waits at its start', { foldscan_api_indexed_time_seconds: '5x30' }, 'api'],
  ])('see %s', (_, lost: Series, command) => {
    const isThere = Object.keys(lost).length > 0
    const build = { [`foldscan_build_info{command="${command}"}`]: isThere ? '1x60' : '1x30' }
    const gone = rules.find(({ alert }) => alert === 'FoldscanProcessGone')
    const firing = {
      exp_labels: { ...gone?.labels, command },
      exp_annotations: gone?.annotations,
    }
    const series = { ...build, ...lost }
    const test = { alert: 'FoldscanProcessGone', at: '1h', series, expected: [firing] }
    expect(failureOf(test)).toBeNull()
  })

  it('see a group that is behind by its age alone, that of facts too', () => {
    const alert = 'FoldscanGroupBehind'
    const rule = rules.find((one) => one.alert === alert)
    const labels = { ...rule?.labels, group: 'dimensions' }
    const firing = { exp_labels: labels, exp_annotations: rule?.annotations }
    const series = { 'foldscan_lag_seconds{group="dimensions"}': '61+60x30' }
    expect(failureOf({ alert, at: '30m', series, expected: [firing] })).toBeNull()
  })
})

function caseOf(alert: string): AlertCase {
  const found = alertCases[alert]
  if (found === undefined) throw new Error(`no case of ${alert}`)
  return found
}

const testOf = ({ alert, at, series, expected }: UnitTest) => ({
  interval: '1m',
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
  alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: expected }],
})
