import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { describeWithHelm, rendered } from './rendered.ts'

describeWithHelm('the alerts of the chart', (tools) => {
  const ruleObject = (prometheusRule: object) => {
    const { objects, stderr } = rendered(tools, { values: { prometheusRule } })
    expect(stderr).toBe('')
    return objects.find(({ kind }) => kind === 'PrometheusRule')
  }

  it('are not rendered by default', () => expect(ruleObject({})).toBeUndefined())

  it('are those of the rules file, with its thresholds', () => {
    const file = new URL('../../deploy/alerts/foldscan.rules.yaml', import.meta.url)
    expect(ruleObject({ enabled: true })?.spec).toEqual(parse(readFileSync(file, 'utf8')))
  })

  it('have the thresholds and the address of pages that values set', () => {
    const groupBehind = { groupBehindSeconds: 7, groupBehindMessages: 100_000 }
    const thresholds = { outdatedSeconds: 86_400, ...groupBehind, errorRatio: 0.0001 }
    const runbookUrl = 'https://git.example/foldscan/main/'
    const labels = { release: 'prometheus' }
    const values = { enabled: true, thresholds, runbookUrl, labels, namespace: 'monitoring' }
    const one = ruleObject(values)
    expect(one?.metadata).toMatchObject({ namespace: 'monitoring', labels })
    const text = JSON.stringify(one?.spec)
    expect(text).toContain('foldscan_api_indexed_time_seconds) > 86400"')
    expect(text).toContain('"https://git.example/foldscan/main/deploy/runbooks/behind.md"')
    expect(text).toContain('foldscan_lag_seconds) > 7\\n')
    expect(text).toMatch(/> (?:100000|1e\+05)\\n"/)
    expect(text).toMatch(/> 14\.4 \* 0\.0001\\n/)
    expect(text).not.toContain('${')
  })

  it('reach all releases apart: their series have the name of the release', () => {
    const values = { serviceMonitor: { enabled: true } }
    const { objects } = rendered(tools, { values, name: 'sepolia' })
    const monitor = objects.find(({ kind }) => kind === 'ServiceMonitor')
    expect(monitor?.spec).toMatchObject({
      endpoints: [{ relabelings: [{ targetLabel: 'release', replacement: 'sepolia' }] }],
    })
  })
})
