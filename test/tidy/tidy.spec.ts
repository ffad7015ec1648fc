import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { printedAlerts, printedChart, withCommands } from '../../deploy/print/printed-pages.ts'
import { withSettings } from '../../deploy/print/settings-page.ts'
import { events } from '../../libs/signals/events.ts'
import { metricRows } from '../../libs/signals/metric-rows.ts'
import { runbooks } from '../../libs/signals/runbooks.ts'
import { commands } from '../../services/cli/commands.ts'
import { allowedCasts } from './allowed-casts.ts'
import { blanked } from './blanked.ts'
import { heldPromises } from './held-promises.ts'
import { importCircles } from './import-circles.ts'
import { circlesIn, lawlessImports, rooms, unnamedRooms } from './import-law.ts'
import {
  badExports,
  badNames,
  crowdedFolders,
  namesExportedTwice,
  strayEntries,
} from './name-checks.ts'
import { countLines, tooLong, widthMax } from './numbers.ts'
import {
  decisionsIn,
  figuresIn,
  longPage,
  partLinesMax,
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
import { isCode, isWritten, projectFiles, textFiles, top } from './tree.ts'
import { unusedSignals } from './unused-signals.ts'

/** The compiler reads the whole project first; other tests run beside it. */
const compilerMsMax = 60_000
const paths = projectFiles()
const texts = textFiles()
const code = texts.filter(isCode)
const written = texts.filter(isWritten)
const exists = (path: string) => existsSync(join(top, path))
const page = (path: string) => readFileSync(join(top, path), 'utf8')

/** Numbers are never reused: a new decision has the next one. */
const decisionsCount = 72

describe('the tree', () => {
  it('keeps its top level', () => expect(strayEntries(paths)).toEqual([]))

  it('is named by words that say something', () =>
    expect(code.flatMap(({ path }) => badNames(path))).toEqual([]))

  it('obeys the import law', () =>
    expect(code.flatMap(({ path, text }) => lawlessImports(path, text))).toEqual([]))

  it('has no crowded folder', () => expect(crowdedFolders(paths)).toEqual([]))

  it('has no circle of rooms', () => expect(circlesIn(rooms)).toEqual([]))

  it('has no room that the law does not name', () => expect(unnamedRooms(paths, rooms)).toEqual([]))

  it('imports nothing in circles, types neither', () => expect(importCircles(code)).toEqual([]))

  it('keeps its files short', () =>
    expect(tooLong(code.map(({ path, text }) => ({ path, lines: countLines(text) })))).toEqual([]))
})

describe('the code', () => {
  it.each([
    ['exports words that say something', badExportsIn],
    ['leaves nothing unfinished', unfinishedIn],
    ['has no barrel', barrelsIn],
    ['names the files that it imports', unnamedImportsIn],
    ['silences no type', silencedTypesIn],
    [
      'fits the width with its comments',
      (path: string, text: string) => wideCommentsIn(path, text, widthMax),
    ],
  ])('%s', (_, check) => expect(code.flatMap(({ path, text }) => check(path, text))).toEqual([]))

  it('exports each name from one file', () => expect(namesExportedTwice(code)).toEqual([]))

  it('says every event and feeds every metric that it names', () => {
    const sources = code.filter(({ path }) =>
      /^(?:libs|services)\/(?!.*(?:\.spec\.|\/testing\/))/.test(path),
    )
    const texts = sources.map(({ text }) => text)
    expect(unusedSignals({ events, metrics: Object.keys(metricRows) }, texts)).toEqual([])
  })

  it('holds no promise across an await of something else', { timeout: compilerMsMax }, () => {
    const examples = 'test/tidy/held-promises-examples.ts'
    const planted = written
      .filter(({ path }) => path === examples)
      .flatMap(({ text }) => text.split('\n'))
      .flatMap((line, at) => (/(?:\/\/|\/\*) held\b/.test(line) ? [`${examples}:${at + 1}`] : []))
    expect(planted.length).toBeGreaterThan(5)
    const paths = code.map(({ path }) => path).filter((path) => path === examples || isRun(path))
    const complaints = heldPromises(paths)
    expect(complaints.filter((complaint) => !complaint.startsWith(examples))).toEqual([])
    expect(complaints.map((complaint) => complaint.split(' ')[0])).toEqual(planted)
  })

  it('casts only at its named boundaries', () =>
    expect(
      code
        .filter(({ path }) => !(path in allowedCasts))
        .flatMap(({ path, text }) => castsIn(path, text)),
    ).toEqual([]))

  it('keeps no boundary on the list that casts no more', () =>
    expect(
      Object.keys(allowedCasts).filter(
        (path) => !code.some((file) => file.path === path && castsIn(path, file.text).length > 0),
      ),
    ).toEqual([]))
})

describe('the paper', () => {
  it('speaks of no machine and no other house', () =>
    expect(written.flatMap(({ path, text }) => foreignWordsIn(path, text))).toEqual([]))

  it('names no host of a registry', () => {
    // An image's name includes where it is published, if that is not Docker's own registry.
    const allowed: Readonly<Record<string, string[]>> = { 'deploy/Dockerfile': [`g${'cr.'}io`] }
    const complaints = texts.flatMap(({ path, text }) => registriesIn(path, text, allowed[path]))
    expect(complaints).toEqual([])
  })

  it('mentions only paths that exist', () =>
    expect(
      written
        .filter(({ path }) => path.endsWith('.md'))
        .flatMap(({ path, text }) => unresolved(path, text, exists)),
    ).toEqual([]))

  it('cites only decisions of the contract, which numbers each once', () => {
    const known = decisionsIn(page('libs/presenters/CONTRACT.md'))
    expect(known.length).toBe(new Set(known).size)
    const citing = written.filter(({ path }) => path !== 'test/tidy/checks.spec.ts')
    expect(citing.flatMap(({ path, text }) => unknownDecisions(path, text, known))).toEqual([])
  })

  it('has each decision of the contract, and a test that cites it', () => {
    const known = decisionsIn(page('libs/presenters/CONTRACT.md'))
    const all = Array.from({ length: decisionsCount }, (_, at) => at + 1)
    expect(known.toSorted((one, other) => one - other)).toEqual(all)
    expect(untestedDecisions(texts, known)).toEqual([])
  })

  it('mentions only metrics that are exported', () => {
    const names = Object.values(metricRows).map(({ name }) => name)
    expect(
      written
        .filter(({ path }) => path.endsWith('.md'))
        .flatMap(({ path, text }) => unknownMetrics(path, text, names)),
    ).toEqual([])
  })

  it('has no table without a head, which cuts a paragraph', () =>
    expect(
      written
        .filter(({ path }) => path.endsWith('.md'))
        .flatMap(({ path, text }) => strayRowsIn(path, text)),
    ).toEqual([]))

  it('has short pages of the design, without figures, which the overview lists', () => {
    const overview = texts.filter(({ path }) => path === 'libs/README.md')
    const parts = texts.filter(({ path }) => path.startsWith('libs/design/'))
    expect(parts.length).toBeGreaterThan(7)
    const complaints = [
      ...[...overview, ...parts].flatMap(({ path, text }) => figuresIn(path, text)),
      ...parts.flatMap(({ path, text }) => longPage(path, countLines(text), partLinesMax)),
    ]
    expect(complaints).toEqual([])
    const listed = overview.flatMap(
      ({ text }) => text.match(/(?<=^\| `)libs\/design\/[a-z-]+\.md/gm) ?? [],
    )
    expect(listed.toSorted()).toEqual(parts.map(({ path }) => path).toSorted())
  })

  it('pins every dependency exactly', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(page('package.json'))
    expect(unpinned({ ...dependencies, ...devDependencies, ...optionalDependencies })).toEqual([])
  })

  it('names in SECURITY.md the HTTP library that is installed, and its content', () => {
    const name = 'uWebSockets.js'
    const { dependencies } = JSON.parse(page('package.json'))
    const { integrity } = JSON.parse(page('package-lock.json')).packages[`node_modules/${name}`]
    const words = page('SECURITY.md').split(/\s+/).join(' ')
    expect(words).toContain(`"${name}": "${dependencies[name]}"`)
    expect(words).toContain(` ${integrity} `)
  })

  it('has an install script run only where it is known, and none that reports', () => {
    const { packages } = JSON.parse(page('package-lock.json'))
    const names = Object.entries<{ hasInstallScript?: boolean }>(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path]) => path.replace(/^.*node_modules\//, ''))
    expect(names).toEqual([
      ...['@foundry-rs/anvil', '@scarf/scarf', 'chdb', 'cpu-features', 'lmdb'],
      ...['msgpackr-extract', 'protobufjs', 'ssh2'],
    ])
    const { scarfSettings } = JSON.parse(page('package.json'))
    expect(scarfSettings).toEqual({ enabled: false, skipTraversal: true })
  })

  it('is under one licence and of one version, which the newest changes are about', () => {
    const { license, version } = JSON.parse(page('package.json'))
    const lock = JSON.parse(page('package-lock.json'))
    expect([license, lock.version, lock.packages[''].version, lock.packages[''].license]).toEqual([
      'Apache-2.0',
      version,
      version,
      license,
    ])
    expect(page('LICENSE')).toMatch(/^\s+Apache License\n\s+Version 2\.0, January 2004\n/)
    expect(/^## (\S+)/m.exec(page('CHANGELOG.md'))?.[1]).toBe(version)
    const built = page('helm/foldscan/README.md').match(/(?<=VERSION=|\/foldscan:)[\d.]+/g)
    expect(built).toEqual([version, version, version])
  })

  it('mentions only scripts of package.json', () => {
    const { scripts } = JSON.parse(page('package.json'))
    const ofOthers = /^benchmarks\/peer\//
    const mentioned = written
      .filter(({ path }) => path.endsWith('.md') && !ofOthers.test(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => ({ path, name })),
      )
    expect(mentioned.length).toBeGreaterThan(20)
    expect(mentioned.filter(({ name }) => !(name in scripts))).toEqual([])
  })

  it('starts what runs on in place of the shell, so that a signal to npm reaches it', () => {
    const { scripts } = JSON.parse(page('package.json'))
    for (const name of ['start', 'foldscan', 'stack']) expect(scripts[name]).toMatch(/^exec node /)
  })

  it('has a page for each warning, which the index lists', () => {
    const index = page('deploy/runbooks/README.md')
    const missing = Object.values(runbooks).filter((path) => !exists(path) || !index.includes(path))
    expect(missing).toEqual([])
  })

  it('ends each runbook with how one sees that it is cured', () => {
    const pages = texts.filter(({ path }) => /^deploy\/runbooks\/(?!README)/.test(path))
    expect(pages.length).toBeGreaterThan(20)
    expect(pages.flatMap(({ path, text }) => withoutCure(path, text))).toEqual([])
  })

  it('shows settings and commands as they are declared: npm run print', () => {
    const commandsPage = page('deploy/OPERATE.md')
    expect(commandsPage).toBe(withCommands(commandsPage, commands))
    const settingsPage = page('deploy/SETTINGS.md')
    expect(settingsPage).toBe(withSettings(settingsPage))
  })

  it('shows settings, topics and versions in the chart as they are declared', async () => {
    for (const [path, text] of await printedChart()) {
      expect(page(`helm/foldscan/${path}`), path).toBe(text)
    }
  })

  it('shows the alerts with the thresholds of the chart: npm run print', async () => {
    expect(page('deploy/alerts/foldscan.rules.yaml')).toBe(await printedAlerts())
  })
})

/** Code that services, tools and benchmarks run, as against tests. */
const isRun = (path: string) =>
  /^(?:libs|services|deploy|benchmarks)\/(?!.*(?:\.spec\.|\/testing\/))/.test(path)

function badExportsIn(path: string, text: string) {
  return badExports(path, blanked(text))
}
