import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { routes } from '../../services/api/endpoints/routes.ts'
import { countLines } from './numbers.ts'
import { longPage, pageLinesMax } from './paper-checks.ts'
import { top } from './tree.ts'

const page = (path: string) => readFileSync(join(top, path), 'utf8')
const readme = page('README.md')

it.each(Object.entries(pageLinesMax))('%s is short', (path, max) =>
  expect(longPage(path, countLines(page(path)), max)).toEqual([]),
)

describe('README.md', () => {
  it('lists the endpoints, in the order of their numbers', () => {
    const rows = [...readme.matchAll(/^\| (\d+) \| `(\S+)` \|/gm)]
    const listed = rows.map(([, at, path]) => [at, path])
    const declared = routes.map(({ path }, at) => [
      String(at + 1),
      path.replace(/\{\w+\}/, '{hash}'),
    ])
    expect(listed).toEqual(declared)
  })

  it('compares by figures that the saved results have', () => {
    const [, section = ''] = /## How it compares\n([\s\S]*?)\n## /.exec(readme) ?? []
    const rows = section.split('\n').filter((line) => /^\| .*\d/.test(line))
    const results = page('benchmarks/README.md')
    expect(rows.length).toBeGreaterThan(3)
    for (const row of rows) {
      const [ours = '', theirs = ''] = row.match(/\d[\d,.]*/g) ?? []
      expect(results, row).toMatch(new RegExp(`\\| ${escaped(ours)} [^|]*\\| ${escaped(theirs)} `))
    }
    const [commit = ''] = /(?<=commit )[0-9a-f]{7}/.exec(section) ?? []
    expect(results).toContain(`commit \`${commit}`)
  })
})

const escaped = (figure: string) => figure.replaceAll('.', '\\.')
