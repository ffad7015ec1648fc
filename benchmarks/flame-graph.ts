import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { commitNow } from './report/commit-now.ts'
import { callsOf, cpuProfile, flameGraph, greatestCosts } from './report/flame-graph.ts'
import { flamesFolder } from './report/saved-flames.ts'

const costsKept = 8

/**
 * Draws what `node --cpu-prof` wrote as `benchmarks/flames/NAME.svg`, and lists the functions with
 * the most time of their own:
 *
 *     node --import ./services/cli/strip-types.mjs benchmarks/flame-graph.ts PROFILE NAME TITLE
 */
const [profile = '', name = '', title = name] = process.argv.slice(2)
const all = callsOf(cpuProfile.parse(JSON.parse(await readFile(profile, 'utf8'))))
const costs = greatestCosts(all, costsKept)
const saved = {
  ...{ title, takenAt: new Date().toISOString(), commit: commitNow() },
  ...{ seconds: all.total / 1e6, costs },
}
await mkdir(flamesFolder, { recursive: true })
await writeFile(new URL(`${name}.svg`, flamesFolder), flameGraph(title, all))
await writeFile(new URL(`${name}.json`, flamesFolder), `${JSON.stringify(saved, null, 2)}\n`)
for (const cost of costs) {
  process.stdout.write(`${(cost.share * 100).toFixed(1).padStart(5)} % ${cost.name}\n`)
}
