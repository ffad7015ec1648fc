import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'

export const flamesFolder = new URL('../flames/', import.meta.url)

const flame = z.strictObject({
  title: z.string(),
  takenAt: z.iso.datetime(),
  /** Checked out when it was drawn. */
  commit: z.string(),
  /** Sampled, without idle time. */
  seconds: z.number(),
  costs: z.array(z.strictObject({ name: z.string(), share: z.number() })),
})

/** The flame graphs, printed into `benchmarks/README.md`. */
export function flamesSection(): string {
  const names = readdirSync(flamesFolder).flatMap((file) => /^(.*)\.json$/.exec(file)?.[1] ?? [])
  const parts = names.sort().map((name) => {
    const file = readFileSync(new URL(`${name}.json`, flamesFolder), 'utf8')
    const { title, takenAt, commit, seconds, costs } = flame.parse(JSON.parse(file))
    const rows = costs.map(({ name, share }) => `| \`${name}\` | ${(share * 100).toFixed(1)} % |`)
    return [
      `${title}, ${seconds.toFixed(1)} s of samples (${takenAt.slice(0, 10)}, commit \`${commit}\`):`,
      '',
      '| function, by its own time | share |',
      '| --- | --- |',
      ...rows,
      '',
      `![${title}](flames/${name}.svg)`,
      '',
    ].join('\n')
  })
  return `## Flame graphs

Samples of the main thread by function, callers above what they call, without idle time. A call that
waits for a core counts as running: on a busy machine system calls (\`writev\`) look greater than they are.
To make one:

    node --cpu-prof --cpu-prof-dir=DIR --import ./services/cli/strip-types.mjs benchmarks/main.ts NAME
    node --import ./services/cli/strip-types.mjs benchmarks/flame-graph.ts DIR/FILE.cpuprofile NAME TITLE

Each process writes a profile of its own, the API too.

${parts.join('\n')}`
}
