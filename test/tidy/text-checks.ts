import { blanked } from './blanked.ts'

/** A complaint about one file, with its line (from 1) where there is one. */
export type Complaint = string

const where = (path: string, text: string, at: number) =>
  `${path}:${text.slice(0, at).split('\n').length}`

function found(path: string, text: string, form: RegExp): { at: string; words: string }[] {
  return [...text.matchAll(form)].map((hit) => ({
    at: where(path, text, hit.index),
    words: hit[0].trim(),
  }))
}

const imports = /^\s*(?:import|export)\b[^'"`;]*?\bfrom\b/gm
const casts = /(?<![.\w$])as\s+(?!const\b)[A-Za-z_({['"]/g

/** `as` may only stand in boundaries (see allowed-casts.ts); `as const` and renamed imports may. */
export function castsIn(path: string, source: string): Complaint[] {
  const code = blanked(source).replace(imports, (line) => line.replace(/[^\n]/g, ' '))
  return found(path, code, casts).map(({ at }) => `${at} casts with 'as'`)
}

/** Type `any`, and the `!` that silences the compiler. Biome says the same; this says it twice. */
export function silencedTypesIn(path: string, source: string): Complaint[] {
  const code = blanked(source)
  return [
    ...found(path, code, /[:<,|&]\s*any\b(?!\s*[:(])/g).map(({ at }) => `${at} says 'any'`),
    ...found(path, code, /[\w)\]]!(?=[.;,)\]}[\s(]|$)(?!=)/gm).map(({ at }) => `${at} says '!'`),
    ...found(path, source, /@ts-(?:ignore|expect-error|nocheck)/g).map(
      ({ at, words }) => `${at} says '${words}'`,
    ),
  ]
}

const unfinished = new RegExp(`\\b(?:TO${''}DO|FIX${''}ME|HA${''}CK)\\b`, 'g')

/** Registries of packages and images, and what private copies of them are called. */
const registries =
  /\b(?:registry[.](?:npmjs|yarnpkg)|npmmirro[r]|pypi[.](?:org|io)|files[.]pythonhosted|(?:static[.]|index[.])?crates[.]io|(?:proxy|sum)[.]golang|goproxy[.](?:io|cn)|repo1?[.]maven|central[.]sonatype|(?:deb|ftp|security|archive|snapshot)[.](?:[a-z]{2}[.])?(?:debian|ubuntu)|(?:[a-z0-9-]+[.])?docker[.]io|(?:gcr|ghcr|quay)[.]io|rubygems[.]org)|:\/\/[^/\s"'@]*(?:mirror|arti[f]actory|nexus)[^/\s"']*/gi
const resolvedForm = /"resolved":\s*"https?:/g

/**
 * Machines fetch from where they are set to: no file names a registry's host, and a lock file has
 * hashes only.
 * @param allowed what a file may say all the same
 */
export const registriesIn = (path: string, text: string, allowed: string[] = []): Complaint[] => [
  ...found(path, text, registries)
    .filter(({ words }) => !allowed.includes(words))
    .map(({ at, words }) => `${at} names the registry ${words}`),
  ...(/-lock\.json$/.test(path) ? found(path, text, resolvedForm) : []).map(
    ({ at }) => `${at} says where a package was fetched`,
  ),
]

export const unfinishedIn = (path: string, source: string): Complaint[] =>
  found(path, source, unfinished).map(({ at, words }) => `${at} says '${words}'`)

/** A file that only hands on what others export is a second index. */
export function barrelsIn(path: string, source: string): Complaint[] {
  if (/(?:^|\/)index\.ts$/.test(path)) return [`${path} is named as a barrel`]
  return found(path, blanked(source), /^export\s+(?:type\s+)?(?:\*|\{[^}]*\})\s+from\b/gm).map(
    ({ at }) => `${at} re-exports`,
  )
}

/** Internal imports name the file, with its ending, by the shortest path. */
export const unnamedImportsIn = (path: string, source: string): Complaint[] =>
  importedBy(source)
    .filter((target) => target.startsWith('.') && !/\.(?:ts|json|cjs)$/.test(target))
    .map((target) => `${path} imports '${target}' without naming the file`)
    .concat(
      importedBy(source)
        .filter((target) => /^\..*[^./]\/\.\.\//.test(target))
        .map((target) => `${path} imports '${target}' by a detour`),
    )

/** All that a file imports, as written. */
export const importedBy = (source: string): string[] =>
  importForms.flatMap((form) => [...source.matchAll(form)].map((hit) => hit[1] ?? ''))

const importForms = [
  /^import\s+['"]([^'"\n]+)['"]/gm,
  /^(?:import|export)\b[^'"`;=()]*?\bfrom\s+['"]([^'"\n]+)['"]/gm,
  /\bimport\(\s*['"]([^'"\n]+)['"]/g,
]

/** Biome breaks code, and leaves texts whole to be found; comments are ours to break. */
export const wideCommentsIn = (path: string, source: string, widthMax: number): Complaint[] =>
  source
    .split('\n')
    .flatMap((line, at) =>
      /^\s*(?:\/\/|\/?\*)/.test(line) && [...line].length > widthMax
        ? [`${path}:${at + 1} is wider than ${widthMax}`]
        : [],
    )

/** The API that is served was designed by others: README says whose clients work, and no more. */
const othersApi = ['block', 'scout'].join('')

/** Words that must not stand anywhere: hosts, machines, and names of others. */
const foreign = [
  ['/wo', 'rk/'],
  ['../sha', 'red'],
  ['/ro', 'ot/'],
  ['clau', 'de'],
  ['anthro', 'pic'],
].map((parts) => parts.join(''))

export function foreignWordsIn(path: string, text: string): Complaint[] {
  const lower = text.toLowerCase()
  return [...foreign, ...(path === 'README.md' ? [] : [othersApi])]
    .filter((word) => lower.includes(word))
    .map((word) => `${where(path, lower, lower.indexOf(word))} says '${word}'`)
}
