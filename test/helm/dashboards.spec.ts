import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeWithHelm, rendered } from './rendered.ts'

const folder = new URL('../../helm/foldscan/files/dashboards/', import.meta.url)
const configMap = z.looseObject({ data: z.record(z.string(), z.string()) })

describeWithHelm('the dashboards of the chart', (tools) => {
  const render = (dashboards: object) => rendered(tools, { values: { dashboards } })
  const dashboardsIn = (dashboards: object) => {
    const { objects, stderr } = render(dashboards)
    expect(stderr).toBe('')
    return objects.find(({ metadata }) => metadata.name === 'mainnet-foldscan-dashboards')
  }

  it('are not rendered by default', () => expect(dashboardsIn({})).toBeUndefined())

  it('are the files, unchanged, with the label that the sidecar of Grafana reads', () => {
    const one = dashboardsIn({ enabled: true })
    expect(one?.kind).toBe('ConfigMap')
    expect(one?.metadata.labels).toMatchObject({ grafana_dashboard: '1' })
    const { data } = configMap.parse(one)
    const names = readdirSync(folder)
    expect(Object.keys(data)).toEqual(names)
    for (const name of names) {
      expect(JSON.parse(data[name] ?? '')).toEqual(
        JSON.parse(readFileSync(new URL(name, folder), 'utf8')),
      )
    }
  })

  it('have the labels, annotations and namespace that values set', () => {
    const annotations = { grafana_folder: 'Foldscan' }
    const labels = { grafana_dashboard: null, dashboards: 'foldscan' }
    const one = dashboardsIn({ enabled: true, annotations, labels, namespace: 'monitoring' })
    expect(one?.metadata).toMatchObject({ annotations, namespace: 'monitoring' })
    expect(one?.metadata.labels).toMatchObject({ dashboards: 'foldscan' })
    expect(one?.metadata.labels).not.toHaveProperty('grafana_dashboard')
  })

  it.each([
    ['a label that is no text', { labels: { grafana_dashboard: 1 } }, /got number, want string/],
    ['no label at all', { labels: { grafana_dashboard: null } }, /minProperties: got 0, want 1/],
    ['an unknown value', { folder: 'Foldscan' }, /additional properties 'folder' not allowed/],
  ])('are refused with %s', (_, dashboards, complaint) => {
    expect(render({ enabled: true, ...dashboards }).stderr).toMatch(complaint)
  })
})
