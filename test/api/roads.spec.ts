import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { routes } from '../../services/api/endpoints/routes.ts'
import { stripTypes } from '../support/strip-types.ts'

/** Files of the longest road; the goal for a cold page is 45. Lower them, never raise them. */
const coldMax = 75
const hotMax = 14

const script = fileURLToPath(new URL('../tidy/print-roads.ts', import.meta.url))

// In a process of its own: Vitest wraps each export in a function.
it(`a cold page runs through at most ${coldMax} files, a cached one through ${hotMax}`, () => {
  const printed = execFileSync(process.execPath, [...stripTypes, script], { encoding: 'utf8' })
  const roads = [...printed.matchAll(/^(\d+) cold, (\d+) hot: (.*)$/gm)]
  // None of them is of an empty page.
  expect(roads.map(([, , , path]) => path)).toEqual(routes.map(({ path }) => path))
  for (const [line, cold, hot] of roads) {
    expect(Number(hot), line).toBeGreaterThan(5)
    expect(Number(hot), line).toBeLessThanOrEqual(hotMax)
    expect(Number(cold), line).toBeGreaterThan(hotMax)
    expect(Number(cold), line).toBeLessThanOrEqual(coldMax)
  }
})
