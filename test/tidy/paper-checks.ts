import type { Complaint } from './text-checks.ts'

const rooms = /^(?:libs|services|test|deploy|helm|benchmarks|\.ci)\//
const topFiles =
  /^(?:package(?:-lock)?\.json|(?:tsconfig|biome)\.json|vitest\.config\.ts|LICENSE|[A-Z]+\.md)$/

/** Paths that prose mentions in backticks or links, from the top; those with `*` are forms. */
export function mentionedPaths(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, '')
  const quoted = [...prose.matchAll(/`([^`\n]+)`/g)].map((hit) => hit[1] ?? '')
  const linked = [...prose.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map((hit) => hit[1] ?? '')
  return [...quoted, ...linked.map((path) => path.replace(/^(?:\.\.?\/)+/, ''))]
    .filter((path) => rooms.test(path) || topFiles.test(path))
    .filter((path) => !/[*<>{}\s]/.test(path))
    .map((path) => path.replace(/\/$/, ''))
}

export const unresolved = (
  page: string,
  markdown: string,
  exists: (path: string) => boolean,
): Complaint[] =>
  mentionedPaths(markdown)
    .filter((path) => !exists(path))
    .map((path) => `${page} mentions ${path}, which is not there`)

/** Numbers of the contract's decisions, each row of whose tables begins with one. */
export const decisionsIn = (contract: string): number[] =>
  [...contract.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number))

const citationForm = /\b(?:decisions?|contract) (\d+(?:(?:, | and )\d+)*)(?!\d|x)/gi

const decisionsCitedIn = (text: string): number[] =>
  [...text.matchAll(citationForm)]
    .flatMap(([, numbers]) => (numbers ?? '').match(/\d+/g) ?? [])
    .map(Number)

/** Citations (`decision 13`, `Decisions 22 and 34`) of what the contract does not have. */
export const unknownDecisions = (
  path: string,
  text: string,
  known: readonly number[],
): Complaint[] =>
  decisionsCitedIn(text)
    .filter((number) => !known.includes(number))
    .map((number) => `${path} cites decision ${number}, which the contract does not have`)

/** Tests, and the laws that several of them obey. */
const isTest = ({ path }: { readonly path: string }): boolean =>
  /(?:\.spec|-laws)\.ts$/.test(path) && !path.startsWith('test/tidy/')

/** Decisions of the contract that no test cites: nobody would notice if one changed. */
export function untestedDecisions(
  files: readonly { readonly path: string; readonly text: string }[],
  known: readonly number[],
): number[] {
  const cited = new Set(files.filter(isTest).flatMap(({ text }) => decisionsCitedIn(text)))
  return known.filter((number) => !cited.has(number))
}

/** Parts that a histogram exports beside its own name. */
const ofHistogram = /_(?:bucket|sum|count)$/
/** Not a metric: the user and the profile of ClickHouse that `deploy/README.md` makes. */
const otherNames = ['foldscan_reader']

/** An alert on a metric that nobody exports never fires. */
export const unknownMetrics = (
  page: string,
  markdown: string,
  names: readonly string[],
): Complaint[] =>
  [...new Set(markdown.match(/\bfoldscan_[a-z_]+/g))]
    .filter((name) => !otherNames.includes(name))
    .filter((name) => !names.includes(name) && !names.includes(name.replace(ofHistogram, '')))
    .map((name) => `${page} mentions ${name}, which nobody exports`)

/** A runbook ends with a short paragraph on what shows that its cure has worked. */
export function withoutCure(page: string, markdown: string): Complaint[] {
  const lines = (markdown.trimEnd().split('\n\n').at(-1) ?? '').split('\n')
  const isThere = lines[0]?.startsWith('**How you see that it is cured.** ') ?? false
  if (!isThere) return [`${page} does not end with how one sees that it is cured`]
  return lines.length > 5 ? [`${page} ends with more than 5 lines on its cure`] : []
}

/**
 * Rows of a table that begin under a line of text, without head and separator: two versions of a
 * page were merged, and a paragraph was cut.
 */
export function strayRowsIn(page: string, markdown: string): Complaint[] {
  const prose = markdown.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ''))
  const lines = prose.split('\n')
  const isRow = (line: string | undefined) => line?.startsWith('|') ?? false
  const isSeparator = (line: string | undefined) => /^\|(?: *:?-+:? *\|)+$/.test(line ?? '')
  return lines.flatMap((line, at) =>
    isRow(line) && !isRow(lines[at - 1]) && !isSeparator(lines[at + 1])
      ? [`${page}:${at + 1} begins a table without a head`]
      : [],
  )
}

/** Lines of a page by its readers: longer ones are not read. */
export const pageLinesMax = {
  'README.md': 200,
  'deploy/OPERATE.md': 150,
  'libs/README.md': 150,
} as const
/** Of a page of `libs/design`. */
export const partLinesMax = 100

const figureForm =
  /\d[\d.,]*(?:\s|-)?(?:[kKMGT]i?B|bytes?|[mnuµ]?s|seconds?|minutes?|hours?|days?|percent|times|\w*\/s)(?![\w/])|\d[\d.,]*\s?%/g

/**
 * Figures with a unit on a page of the design: they age, and become the reason of a rule. They
 * belong to `benchmarks/NOTES.md`, bounds to the constants of the code.
 */
export const figuresIn = (page: string, markdown: string): Complaint[] =>
  markdown
    .split('\n')
    .flatMap((line, at) =>
      [...line.matchAll(figureForm)].map(([figure]) => `${page}:${at + 1} has a figure: ${figure}`),
    )

export const longPage = (page: string, lines: number, max: number): Complaint[] =>
  lines > max ? [`${page} has ${lines} lines, above ${max}`] : []

type Dependencies = Readonly<Record<string, string>>

/** Exact versions only, also behind an alias: the same clone, the same program. */
export const unpinned = (dependencies: Dependencies): Complaint[] =>
  Object.entries(dependencies)
    .filter(([, version]) => !/^(?:npm:[a-z@/-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
    .map(([name, version]) => `${name} is not pinned: ${version}`)
