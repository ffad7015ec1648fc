import { posix } from 'node:path'
import { countLines } from './numbers.ts'
import { importedBy } from './text-checks.ts'
import { isCode, type ProjectFile, textFiles } from './tree.ts'

/**
 * Prints the size of the product's files, without specs, `testing/`, demo chain and stack, and of
 * the tests: `node --import ./services/cli/strip-types.mjs test/tidy/print-numbers.ts`.
 */
const smallLinesMax = 60

const isTest = ({ path }: ProjectFile) =>
  /\.spec\.ts$|\/testing\//.test(path) || /^test\//.test(path)
const isProduct = (file: ProjectFile) =>
  /^(libs|services)\//.test(file.path) && !/demo-chain/.test(file.path) && !isTest(file)

const code = textFiles().filter(isCode)
const product = code.filter(isProduct)
const linesOf = ({ text }: ProjectFile) => countLines(text)
const sum = (files: readonly ProjectFile[]) =>
  files.reduce((total, file) => total + linesOf(file), 0)

const importers = new Map<string, number>()
for (const { path, text } of product) {
  const targets = importedBy(text).filter((target) => target.startsWith('.'))
  for (const target of new Set(targets)) {
    const imported = posix.join(posix.dirname(path), target)
    importers.set(imported, (importers.get(imported) ?? 0) + 1)
  }
}

const sorted = product.map(linesOf).sort((a, b) => a - b)
const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
const once = product.filter(({ path }) => importers.get(path) === 1)
const rows: readonly (readonly [string, number])[] = [
  ['product files', product.length],
  ['product lines', sum(product)],
  ['median lines per file', at(0.5)],
  ['95th percentile', at(0.95)],
  ['longest file', sorted.at(-1) ?? 0],
  ['files with one importer', once.length],
  [
    `of these below ${smallLinesMax} lines`,
    once.filter((file) => linesOf(file) < smallLinesMax).length,
  ],
  ['files of services/api', product.filter(({ path }) => path.startsWith('services/api/')).length],
  ['test lines', sum(code.filter(isTest))],
]
for (const [name, value] of rows) process.stdout.write(`${name}: ${value}\n`)
