import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { labelsOfSeries } from '../../libs/signals/testing/unknown-names.ts'
import { testedBinary } from '../support/tested-binary.ts'
import { Promtool } from './promtool.ts'

const folder = new URL('../../helm/foldscan/files/dashboards/', import.meta.url)
const form = z.object({
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).default([]) })),
})
const expressions = readdirSync(folder).flatMap((name) =>
  form
    .parse(JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
    .panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
)

/** Labels that an expression selects by their value; all others have one of no meaning. */
const values: Readonly<Record<string, readonly string[]>> = {
  group: ['state'],
  status: ['200', '503'],
  outcome: ['hit', 'miss'],
  le: ['0.1', '+Inf'],
}

/** Series of all metrics, of one process, that grow by one a minute. */
const allSeries = [...labelsOfSeries].flatMap(([name, labels]) =>
  labels
    .reduce<string[][]>(
      (all, label) =>
        all.flatMap((before) =>
          (values[label] ?? ['some']).map((value) => [...before, `${label}="${value}"`]),
        ),
      [['namespace="explorer"', 'release="mainnet"', 'instance="a"']],
    )
    .map((all) => ({ series: `${name}{${all.join(',')}}`, values: '1+1x60' })),
)

const binary = await testedBinary('promtool')

describe.skipIf(binary === null)('the dashboards, as Prometheus evaluates them', () => {
  if (binary === null) return
  const promtool = new Promtool(binary)
  afterAll(() => promtool.remove())

  /** What promtool says of expressions that have no line on these series; null if all have one. */
  function withoutLine(exprs: readonly string[], release = 'mainnet'): string | null {
    const tests = exprs.map((expr) => ({
      expr: `count((${withChoice(expr, release)}) > -Inf) > bool 0`,
      eval_time: '30m',
      exp_samples: [{ labels: '{}', value: 1 }],
    }))
    return promtool.failureOf({
      tests: [{ interval: '1m', input_series: allSeries, promql_expr_test: tests }],
    })
  }

  it('have a line for each expression where all metrics are there', () => {
    expect(expressions.length).toBeGreaterThan(50)
    expect(withoutLine(expressions)).toBeNull()
  })

  it('have none of another release', () => {
    const complaints = withoutLine(expressions, 'sepolia') ?? ''
    expect(complaints.match(/^ +expr: /gm)?.length).toBe(expressions.length)
  })

  it('would be seen without a line: of an unknown value, and of a join that fails', () => {
    expect(withoutLine(['foldscan_stuck{group="none"}'])).toContain('FAILED')
    expect(withoutLine(['foldscan_stuck * foldscan_build_info'])).toContain('FAILED')
  })
})

/** As Grafana replaces the variables. */
const withChoice = (expr: string, release: string) =>
  expr
    .replaceAll('$__rate_interval', '5m')
    .replaceAll('$namespace', '.*')
    .replaceAll('$release', release)
