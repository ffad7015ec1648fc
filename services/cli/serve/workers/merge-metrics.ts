/** Begins what an exposition says of a metric: its help, its type, and its samples follow. */
const help = '# HELP '

/**
 * Joins expositions of several processes to one, in which each metric stands once, with the
 * samples of all of them. The processes have labels of their own, so that no two samples are the
 * same series: sums would fall when one of them is restarted, and `rate()` would count that as
 * new requests.
 */
export function mergeMetrics(expositions: readonly string[]): string {
  const metrics = new Map<string, { readonly head: string[]; readonly samples: string[] }>()
  for (const exposition of expositions) {
    let metric: { head: string[]; samples: string[] } | undefined
    for (const line of exposition.split('\n')) {
      if (line === '') continue
      if (line.startsWith(help)) {
        const name = line.slice(help.length).split(' ', 1)[0] ?? ''
        metric = metrics.get(name) ?? { head: [], samples: [] }
        metrics.set(name, metric)
      }
      if (!line.startsWith('#')) metric?.samples.push(line)
      else if (metric !== undefined && !metric.head.includes(line)) metric.head.push(line)
    }
  }
  return [...metrics.values()]
    .map(({ head, samples }) => `${[...head, ...samples].join('\n')}\n`)
    .join('\n')
}
