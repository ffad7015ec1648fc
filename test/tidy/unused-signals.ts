import { blanked } from './blanked.ts'
import type { Complaint } from './text-checks.ts'

/** The tree of events: groups, their events, and the word of each. */
type EventTree = Readonly<Record<string, Readonly<Record<string, string>>>>

interface Signals {
  readonly events: EventTree
  readonly metrics: readonly string[]
}

/** Calls after which a metric has a value; the last three are those of `plain-metrics.ts`. */
const feeding = ['inc', 'set', 'observe', 'countOf', 'durationsOf', 'measure']

/** What could be said and never is: a name on a dashboard that nothing ever feeds. */
export function unusedSignals({ events, metrics }: Signals, sources: readonly string[]) {
  const code = sources.map(blanked).join('\n')
  const unsaid = Object.entries(events).flatMap(([group, words]) =>
    Object.keys(words)
      .filter((event) => !new RegExp(`\\.${group}\\.${event}\\b`).test(code))
      .map((event): Complaint => `no code says events.${group}.${event}`),
  )
  const unfed = metrics
    .filter((metric) => !new RegExp(`\\.${metric}\\s*\\.(?:${feeding.join('|')})\\(`).test(code))
    .map((metric): Complaint => `no code feeds the metric ${metric}`)
  return [...unsaid, ...unfed]
}
