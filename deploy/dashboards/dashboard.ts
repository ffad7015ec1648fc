/** A dashboard of Grafana: lines of panels over time, of the chosen namespaces and releases. */
export interface Dashboard {
  /** Also the name of its file. */
  readonly uid: string
  readonly title: string
  /** Panels by the title of their row. */
  readonly rows: Readonly<Record<string, readonly Panel[]>>
}

export interface Panel {
  readonly title: string
  /** One sentence: what it shows, or what to look for. */
  readonly description: string
  readonly unit: 's' | 'bytes' | 'reqps' | 'ops' | 'percentunit' | 'locale'
  /** Expressions by their legend. */
  readonly lines: Readonly<Record<string, string>>
}

const datasource = { type: 'prometheus', uid: '$datasource' }
const columns = 24
const panelSize = { w: columns / 3, h: 8 }

/** The dashboard as Grafana imports and provisions it. */
export function grafanaDashboard({ uid, title, rows }: Dashboard): object {
  const panels: object[] = []
  let y = 0
  for (const [row, members] of Object.entries(rows)) {
    const gridPos = { x: 0, y, w: columns, h: 1 }
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: row,
      collapsed: false,
      panels: [],
      gridPos,
    })
    y += 1
    for (const [at, panel] of members.entries()) {
      const x = (at * panelSize.w) % columns
      if (at > 0 && x === 0) y += panelSize.h
      panels.push(grafanaPanel(panel, { id: panels.length + 1, gridPos: { x, y, ...panelSize } }))
    }
    y += panelSize.h
  }
  return {
    uid,
    title,
    tags: ['foldscan'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: variables },
    annotations: { list: [] },
    links: [toOthers],
    panels,
  }
}

const grafanaPanel = ({ title, description, unit, lines }: Panel, place: object) => ({
  ...place,
  type: 'timeseries',
  title,
  description,
  datasource,
  fieldConfig: {
    defaults: { unit, custom: { fillOpacity: 10, showPoints: 'never' } },
    overrides: [],
  },
  options: {
    legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  targets: Object.entries(lines).map(([legendFormat, expr], at) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + at),
    datasource,
    expr,
    legendFormat,
  })),
})

/** To the other dashboard, at the same time. Grafana's schema wants all of these fields. */
const toOthers = {
  type: 'dashboards',
  title: 'Foldscan',
  tags: ['foldscan'],
  keepTime: true,
  icon: '',
  tooltip: '',
  asDropdown: false,
  targetBlank: false,
  includeVars: false,
}

/** All of them include targets without the label. */
const choice = (name: string, query: string) => ({
  name,
  type: 'query',
  datasource,
  query: { query, refId: name },
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: '.*',
  current: { text: 'All', value: '$__all' },
})

const variables = [
  { name: 'datasource', label: 'data source', type: 'datasource', query: 'prometheus' },
  choice('namespace', 'label_values(foldscan_build_info, namespace)'),
  choice('release', 'label_values(foldscan_build_info{namespace=~"$namespace"}, release)'),
]
