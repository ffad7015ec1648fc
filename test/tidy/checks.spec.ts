import { describe, expect, it } from 'vitest'
import { blanked } from './blanked.ts'
import { importCircles } from './import-circles.ts'
import { circlesIn, lawlessImports, unnamedRooms } from './import-law.ts'
import { badExports, badNames, namesExportedTwice, strayEntries } from './name-checks.ts'
import { tooLong } from './numbers.ts'
import {
  decisionsIn,
  figuresIn,
  longPage,
  strayRowsIn,
  unknownDecisions,
  unknownMetrics,
  unpinned,
  unresolved,
  untestedDecisions,
  withoutCure,
} from './paper-checks.ts'
import {
  barrelsIn,
  castsIn,
  foreignWordsIn,
  registriesIn,
  silencedTypesIn,
  unfinishedIn,
  unnamedImportsIn,
  wideCommentsIn,
} from './text-checks.ts'
import { unusedSignals } from './unused-signals.ts'

// Each check is seen to fail once, on a planted violation, and to let the lawful form pass.

describe('blanking', () => {
  it('leaves code, and no comment, string, template or regular expression', () => {
    const source = [
      'const a = "x as y" // b as c',
      '/* d as e */ const f = /[/"] as g/.test(h)',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source, as text
      'const i = `j as k ${l({ m: `n` })} as o` + p / q / r',
    ].join('\n')
    const code = blanked(source)
    expect(code).not.toMatch(/ as /)
    for (const word of ['const a', 'const f', 'l({ m:', '})', 'p / q / r']) {
      expect(code).toContain(word)
    }
    expect(code.split('\n').map((line) => line.length)).toEqual(
      source.split('\n').map((line) => line.length),
    )
  })
})

describe('the check of casts', () => {
  it.each([
    'const a = b as C',
    'const a = <T>() => (b as unknown as T)',
    'const a = b as { c: string }',
  ])('meets %s', (source) => expect(castsIn('a.ts', source)).not.toEqual([]))

  it.each([
    'const a = [1] as const',
    "import { a as b } from './a.ts'",
    "import * as a from 'node:fs'",
    'const a = { as: b }',
    '// taken as read',
  ])('lets %s pass', (source) => expect(castsIn('a.ts', source)).toEqual([]))
})

describe('the check of silenced types', () => {
  it.each([
    `let a: ${'any'}`,
    'const a: Map<string, any> = b',
    'a!.b()',
    'f(a[0]!)',
    `// @ts-${'ignore'}`,
  ])('meets %s', (source) => expect(silencedTypesIn('a.ts', source)).not.toEqual([]))

  it.each(['if (!a) b()', 'a !== b', 'a != b', "const a = 'any!'", 'z.any()'])(
    'lets %s pass',
    (source) => expect(silencedTypesIn('a.ts', source)).toEqual([]),
  )
})

describe('the checks of words', () => {
  it('meet what is unfinished', () =>
    expect(unfinishedIn('a.ts', `// ${'TO'}${'DO'} later`)).toEqual([`a.ts:1 says 'TO${'DO'}'`]))

  it('meet foreign words, with their line', () =>
    expect(foreignWordsIn('a.md', `one\ntwo ${'/wo'}${'rk/'}main`)).toEqual([
      `a.md:2 says '/wo${'rk/'}'`,
    ]))
  it('meet the name of the API that others designed, but in README.md', () => {
    const text = `Block${'scout'} API v2`
    expect(foreignWordsIn('libs/README.md', text)).toHaveLength(1)
    expect(foreignWordsIn('README.md', text)).toEqual([])
  })

  it('meet hosts of registries, and places in lock files', () => {
    const named = (text: string) => registriesIn('a.sh', text)
    for (const [begin, end] of [
      ['registry.np', 'mjs.org'],
      ['py', 'pi.org'],
      ['index.cra', 'tes.io'],
      ['proxy.go', 'lang.org'],
      ['repo1.ma', 'ven.org'],
      ['deb.deb', 'ian.org'],
      ['ftp.de.deb', 'ian.org'],
      ['registry-1.doc', 'ker.io'],
    ]) {
      expect(named(`fetch https://${begin}${end}/x`)).toHaveLength(1)
    }
    expect(named(`mirror=http://npm-${'mir'}${'ror'}.example.com/debian`)).toHaveLength(1)
    expect(named('<project xmlns="http://maven.apache.org/POM/4.0.0"> a mirror of it')).toEqual([])
    const lock = (name: string) => `{"resolved": "https://host.example/${name}.tgz"}`
    expect(registriesIn('package-lock.json', lock('a'))).toEqual([
      'package-lock.json:1 says where a package was fetched',
    ])
    const image = `g${'cr.'}io`
    expect(registriesIn('Dockerfile', `FROM ${image}/distroless`, [image])).toEqual([])
  })

  it('meet wide comments, counted in characters', () => {
    expect(wideCommentsIn('a.ts', `// ${'é'.repeat(98)}`, 100)).toEqual([
      'a.ts:1 is wider than 100',
    ])
    expect(wideCommentsIn('a.ts', ` * ${'é'.repeat(97)}`, 100)).toEqual([])
    expect(wideCommentsIn('a.ts', `const a = '${'x'.repeat(99)}'`, 100)).toEqual([])
  })
})

describe('the checks of imports', () => {
  it.each([
    ['libs/chain/a.ts', '../topics/b.ts'],
    ['libs/tables/a.ts', '../queries/b.ts'],
    ['libs/topics/a.ts', '../projections/b.ts'],
    ['libs/projections/a.ts', '../adapters/lmdb/b.ts'],
    ['libs/adapters/lmdb/a.ts', '../../tables/b.ts'],
    ['libs/presenters/a.ts', '../projections/b.ts'],
    ['services/api/a.ts', '../ingestor/b.ts'],
    ['libs/queries/a.ts', '../../services/api/b.ts'],
    ['libs/tables/declare/a.ts', '../tables/b.ts'],
    ['libs/tables/declare/a.ts', '../b.ts'],
    ['services/projector/volume/a.ts', '../loop/b.ts'],
    ['services/api/rows/a.ts', '../pages/b.ts'],
    ['services/api/pages/a.ts', '../../api/handler.ts'],
  ])('meet %s looking at %s', (path, target) =>
    expect(lawlessImports(path, `import { b } from '${target}'`)).toHaveLength(1),
  )

  it.each([
    ['libs/tables/a.ts', '../chain/b.ts'],
    ['libs/projections/a.ts', '../tables/b.ts'],
    ['libs/adapters/lmdb/a.ts', '../../ports/b.ts'],
    ['services/api/a.ts', '../../libs/queries/b.ts'],
    ['services/cli/a.ts', '../ingestor/b.ts'],
    ['libs/tables/tables/a.ts', '../declare/b.ts'],
    ['services/projector/projector.ts', './loop/b.ts'],
    ['services/api/a.spec.ts', '../../test/support/b.ts'],
    ['services/api/pages/a.ts', '../clock/b.ts'],
    ['services/api/handler.ts', './pages/b.ts'],
  ])('let %s look at %s', (path, target) =>
    expect(lawlessImports(path, `import { b } from '${target}'`)).toEqual([]),
  )

  it('meet a room that has no law', () =>
    expect(
      unnamedRooms(['a/b/old/c.ts', 'a/b/new/c.ts', 'a/b/c.ts'], { 'a/b': { old: [] } }),
    ).toEqual(['a/b/new is not in the law']))

  it('meet a circle of rooms', () =>
    expect(circlesIn({ 'services/api': { rows: ['pages'], pages: ['rows'] } })).toEqual([
      'services/api/rows must stand after pages',
    ]))

  it('see imports over several lines, of types, and at run time', () => {
    const source = "import type {\n  b,\n} from '../topics/b.ts'\nawait import('../tables/c.ts')"
    expect(lawlessImports('libs/chain/a.ts', source)).toHaveLength(2)
  })

  it('meet a file that is not named', () =>
    expect(unnamedImportsIn('a.ts', "import { b } from './b'")).toHaveLength(1))

  it('meet a detour', () => {
    const importing = (target: string) => unnamedImportsIn('a.ts', `import { b } from '${target}'`)
    expect(importing('../../libs/chain/../tables/b.ts')).toHaveLength(1)
    expect(importing('../../libs/tables/b.ts')).toEqual([])
  })

  it.each([
    "export * from './a.ts'",
    "export { a } from './a.ts'",
    "export type { A } from './a.ts'",
  ])('meet the barrel %s', (source) => expect(barrelsIn('a.ts', source)).toHaveLength(1))

  it('meet an index', () => expect(barrelsIn('libs/a/index.ts', '')).toHaveLength(1))
})

describe('the check of circles', () => {
  const file = (path: string, ...targets: string[]) => ({
    path,
    text: targets.map((target) => `import type { X } from '${target}'`).join('\n'),
  })

  it('meets two files that need each other, and tells the way round', () =>
    expect(importCircles([file('a/b.ts', './c.ts'), file('a/c.ts', '../a/b.ts')])).toEqual([
      'a/b.ts -> a/c.ts -> a/b.ts',
    ]))

  it('meets a longer way round, wherever one enters it', () => {
    const round = [file('b.ts', './c.ts'), file('c.ts', './d.ts'), file('d.ts', './b.ts')]
    expect(importCircles([file('a.ts', './c.ts'), ...round])).toEqual([
      'c.ts -> d.ts -> b.ts -> c.ts',
    ])
  })

  it('meets every circle of a file, and a file that imports itself', () =>
    expect(
      importCircles([
        file('a.ts', './a.ts', './b.ts', './c.ts'),
        file('b.ts', './a.ts'),
        file('c.ts', './a.ts'),
      ]),
    ).toEqual(['a.ts -> a.ts', 'a.ts -> b.ts -> a.ts', 'a.ts -> c.ts -> a.ts']))

  it('lets two ways to one file pass', () =>
    expect(
      importCircles([
        file('a.ts', './b.ts', './c.ts'),
        file('b.ts', './c.ts'),
        file('c.ts', 'zod'),
      ]),
    ).toEqual([]))
})

describe('the checks of names', () => {
  it.each(['libs/chain/hexUtils.ts', 'libs/utils/a.ts', 'libs/chain/block-data.ts', 'libs/A/b.ts'])(
    'meet %s',
    (path) => expect(badNames(path)).not.toEqual([]),
  )

  it.each(['libs/chain/hex.spec.ts', '.ci/run', 'libs/tables/STORE.md'])('let %s pass', (path) =>
    expect(badNames(path)).toEqual([]),
  )

  it('meet an export that says nothing', () => {
    expect(badExports('a.ts', 'export class CacheManager {}')).toHaveLength(1)
    expect(badExports('a.ts', 'export const tokensOf = 1')).toEqual([])
  })

  it('meet a name that two files export, but not the type and the value of one file', () => {
    const table = { path: 'libs/tables/a.ts', text: 'export const holders = 1' }
    const pair = 'export const depth = 1\nexport type depth = number'
    expect(
      namesExportedTwice([
        table,
        { path: 'libs/queries/b.ts', text: 'export function holders() {}' },
        { path: 'libs/queries/c.ts', text: `${pair}\nconst holders = 1` },
        { path: 'libs/queries/b.spec.ts', text: 'export const holders = 1' },
      ]),
    ).toEqual(["'holders' is exported by libs/tables/a.ts and libs/queries/b.ts"])
  })

  it('meet a stray entry at the top', () =>
    expect(strayEntries(['libs/a.ts', 'notes.md'])).toEqual([
      "'notes.md' has no place at the top level",
    ]))
})

describe('the checks of numbers', () => {
  const files = (count: number, lines: number) =>
    Array.from({ length: count }, (_, at) => ({ path: `f${at}.ts`, lines }))

  it('meet a long median, a long tail and one long file', () => {
    expect(tooLong(files(3, 91))).toHaveLength(1)
    expect(tooLong([...files(90, 10), ...files(10, 251)])).toHaveLength(1)
    expect(tooLong([...files(99, 10), ...files(1, 401)])).toEqual([
      'f0.ts has 401 lines, above 400',
    ])
  })

  it('let short files pass', () => expect(tooLong(files(9, 80))).toEqual([]))
})

describe('the check of signals', () => {
  const signals = { events: { up: { ready: 'up.ready' } }, metrics: ['stuck'] }

  it('meets an event that nobody says and a metric that nobody feeds', () =>
    expect(unusedSignals(signals, ['// events.up.ready', 'metrics.stuck.labels'])).toEqual([
      'no code says events.up.ready',
      'no code feeds the metric stuck',
    ]))

  it('lets what is said and fed pass', () =>
    expect(
      unusedSignals(signals, ['say(events.up.ready)', 'this.metrics?.stuck.set({}, 1)']),
    ).toEqual([]))
})

describe('the checks of paper', () => {
  it('meet a path that is not there', () => {
    const page = 'see `libs/chain/hex.ts`, `libs/gone.ts`, [b](../test/gone) and `libs/*/x`'
    expect(unresolved('a.md', page, (path) => path === 'libs/chain/hex.ts')).toEqual([
      'a.md mentions libs/gone.ts, which is not there',
      'a.md mentions test/gone, which is not there',
    ])
  })

  it('meet a decision that the contract does not have', () => {
    const known = decisionsIn('| # | a |\n|---|---|\n| 3 | as decision 5 |\n| 22 | b |')
    expect(known).toEqual([3, 22])
    expect(unknownDecisions('a.ts', '(decision 3); Decisions 22, 34 and 35.', known)).toEqual([
      'a.ts cites decision 34, which the contract does not have',
      'a.ts cites decision 35, which the contract does not have',
    ])
  })

  it('meet a decision that no test cites', () => {
    const files = [
      { path: 'libs/a.spec.ts', text: '// Decisions 1 and 2.' },
      { path: 'test/a-laws.ts', text: "it('does (contract 3)')" },
      { path: 'libs/a.ts', text: 'as decision 4 has it, at contract 0x12' },
      { path: 'test/tidy/a.spec.ts', text: 'decision 5' },
    ]
    expect(untestedDecisions(files, [1, 2, 3, 4, 5])).toEqual([4, 5])
    expect(unknownDecisions('a.ts', 'of contract 0x12', [])).toEqual([])
  })

  it('meet a metric that nobody exports', () =>
    expect(
      unknownMetrics(
        'page.md',
        'foldscan_stuck{group="x"} == 1, foldscan_flush_seconds_bucket, foldscan_reader, foldscan_old',
        ['foldscan_stuck', 'foldscan_flush_seconds'],
      ),
    ).toEqual(['page.md mentions foldscan_old, which nobody exports']))

  it('meet a table without a head, under a paragraph that was cut', () => {
    const whole = 'text\n\n| a | b |\n|---|---:|\n| 1 | 2 |\n\n```\n| no table |\n```\n'
    expect(strayRowsIn('a.md', whole)).toEqual([])
    expect(strayRowsIn('a.md', 'a line that\n| 1 | 2 |\n| 3 | 4 |\n')).toEqual([
      'a.md:2 begins a table without a head',
    ])
  })

  it('meet figures with a unit, whatever the unit', () => {
    const figures = [
      '12 ms',
      '0.5 s',
      '3 us',
      '4 MiB',
      '1.5 GiB',
      '35 kB',
      '10 GB',
      '4 %',
      '20%',
      '1,200 rows/s',
      '90/s',
      '2.3 times',
      '30 minutes',
      '8 bytes',
      '30-second',
    ]
    for (const figure of figures) {
      expect(figuresIn('a.md', `text\nit takes ${figure} now`)).toEqual([
        `a.md:2 has a figure: ${figure}`,
      ])
    }
  })

  it('let counts, versions, codes and names pass', () =>
    expect(
      figuresIn(
        'a.md',
        '1. the newest 256 blocks; status 304 and 503; 64-bit; kafkajs 2.2.4; `0x12`; sha256; type 4 transactions',
      ),
    ).toEqual([]))

  it('meet a runbook that does not end with its cure, or with a long one', () => {
    const cure = '**How you see that it is cured.** The alert ends.\n'
    expect(withoutCure('a.md', `# A\n\n${cure}`)).toEqual([])
    for (const other of ['# A\n', `# A\n\n${cure}\nAnother paragraph.\n`]) {
      expect(withoutCure('a.md', other)).toEqual([
        'a.md does not end with how one sees that it is cured',
      ])
    }
    expect(withoutCure('a.md', `# A\n\n${cure}${'and so on\n'.repeat(5)}`)).toEqual([
      'a.md ends with more than 5 lines on its cure',
    ])
  })

  it('meet a page above its lines', () => {
    expect(longPage('a.md', 100, 100)).toEqual([])
    expect(longPage('a.md', 101, 100)).toEqual(['a.md has 101 lines, above 100'])
  })

  it('meet a version that floats', () =>
    expect(
      unpinned({ a: '^1.0.0', b: '1.0.0', c: 'npm:d@2.0.1', e: 'npm:f@~1.0.0', g: '*' }),
    ).toEqual(['a is not pinned: ^1.0.0', 'e is not pinned: npm:f@~1.0.0', 'g is not pinned: *']))
})
