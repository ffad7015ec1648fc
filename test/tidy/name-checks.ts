import type { Complaint } from './text-checks.ts'

const refusedWords = ['manager', 'helper', 'util', 'utils', 'helpers', 'common', 'base', 'data']
const refusedToo = ['info', 'handle', 'v2', 'misc', 'impl']
const refused = new Set([...refusedWords, ...refusedToo])

/** Folders and files are kebab-case, and no part of the name says nothing. */
export function badNames(path: string): Complaint[] {
  const segments = path.split('/')
  const file = segments.pop() ?? ''
  const stem = capitals.has(file) ? '' : file.replace(/(?:\.[a-z]+)+$/, '')
  return [...segments, ...(stem ? [stem] : [])].flatMap((name) => {
    const words = name.split('-').filter((word) => refused.has(word))
    return [
      ...(kebab.test(name) ? [] : [`${path}: '${name}' is not kebab-case`]),
      ...words.map((word) => `${path}: '${word}' says nothing`),
    ]
  })
}

const capitals = new Set(['README.md', 'STORE.md'])
const kebab = /^\.?[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Here the word is the field's own: a log has topics and data. */
const fields = new Set(['dataWords'])

/** What declarations of a file are called, word by word. */
export function badExports(path: string, code: string): Complaint[] {
  const declared =
    /^export\s+(?:async\s+)?(?:const|let|function\*?|class|interface|type)\s+([A-Za-z0-9_$]+)/gm
  return [...code.matchAll(declared)].flatMap((hit) => {
    const name = hit[1] ?? ''
    const words = name
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(' ')
    return words
      .filter((word) => refused.has(word) && !fields.has(name))
      .map((word) => `${path} exports '${name}': '${word}' says nothing`)
  })
}

const forTests = /\.spec\.ts$|\/testing\/|^test\/|^benchmarks\//
const exported =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:const|let|function\*?|class|interface|type|enum)\s+([\w$]+)/gm

/** Names that several product files export. A type and a value of one file may share a name. */
export function namesExportedTwice(
  files: readonly { readonly path: string; readonly text: string }[],
): Complaint[] {
  const paths = new Map<string, Set<string>>()
  for (const { path, text } of files.filter(({ path }) => !forTests.test(path))) {
    for (const [, name = ''] of text.matchAll(exported)) {
      paths.set(name, (paths.get(name) ?? new Set()).add(path))
    }
  }
  return [...paths]
    .filter(([, of]) => of.size > 1)
    .map(([name, of]) => `'${name}' is exported by ${[...of].join(' and ')}`)
}

const topLevel = new Set([
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'biome.json',
  'vitest.config.ts',
  'services',
  'libs',
  'deploy',
  'helm',
  'benchmarks',
  'test',
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'SECURITY.md',
  '.ci',
  '.dockerignore',
  '.gitignore',
])

/** The top level is fixed: what comes goes below. */
export const strayEntries = (paths: readonly string[]): Complaint[] =>
  [...new Set(paths.map((path) => path.split('/')[0] ?? ''))]
    .filter((entry) => !topLevel.has(entry))
    .map((entry) => `'${entry}' has no place at the top level`)

/** Files of one folder of the product. */
const filesPerFolderMax = 25

/** Folders of `libs` and `services` that nobody overlooks any more. */
export function crowdedFolders(paths: readonly string[]): Complaint[] {
  const counts = new Map<string, number>()
  for (const path of paths.filter((one) => /^(libs|services)\//.test(one))) {
    const folder = path.slice(0, path.lastIndexOf('/'))
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > filesPerFolderMax)
    .map(([folder, count]) => `${folder} has ${count} files, above ${filesPerFolderMax}`)
}
