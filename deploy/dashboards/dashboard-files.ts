import { grafanaDashboard } from './dashboard.ts'
import { pipeline } from './pipeline.ts'
import { whatUsersSee } from './what-users-see.ts'

/** The dashboards of Grafana, by their path from the chart's folder. */
export const dashboardFiles: ReadonlyMap<string, object> = new Map(
  [whatUsersSee, pipeline].map((one) => [
    `files/dashboards/${one.uid}.json`,
    grafanaDashboard(one),
  ]),
)
