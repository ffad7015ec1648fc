import { textTable } from '../run-task.ts'
import type { AuditReport } from './audit-report.ts'
import type { AuditExample, CountedFailure } from './audit-tally.ts'

/** A report for people. */
export function auditText(report: AuditReport): string {
  const { rows, differing, unknown, moved, failures, notIndexed } = report
  const sections = [
    [tableOf(report)],
    listed('Differences', differing),
    listed('Not shown, though the node has a value', unknown),
    listed('Differed at one block and not at another', moved),
    failures.length === 0 ? [] : ['Not compared:', ...failures.map(failureText)],
    notIndexed === 0 ? [] : [`${notIndexed} blocks of the node are not indexed: left out.`],
    [summaryOf(report)],
  ]
  return (rows.length === 0 ? sections.slice(1) : sections)
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

const tableOf = ({ rows }: AuditReport): string =>
  textTable(
    [
      ...['values of', 'tokens', 'checked', 'equal', 'differing', 'unknown'],
      ...['unanswered', 'moved', 'coverage %'],
    ],
    rows.map((row) => [
      ...[row.kind, row.standard, row.checked, row.equal, row.differing, row.unknown],
      ...[row.unanswered, row.moved, percentOf(row.coverage)],
    ]),
  )

/** Rounded down: 100 only where all are equal. */
const percentOf = (share: number | null): number | null =>
  share === null ? null : Math.floor(share * 1_000) / 10

/** Examples in the text; JSON has more. */
const printedMax = 10

function listed(
  heading: string,
  { count, examples }: { readonly count: number; readonly examples: readonly AuditExample[] },
): string[] {
  if (count === 0) return []
  const printed = examples.slice(0, printedMax)
  const first = printed.length < count ? `, the first ${printed.length}` : ''
  return [`${heading} (${count}${first}):`, ...printed.map(exampleText)]
}

const exampleText = ({ kind, path, field, block, shown, told }: AuditExample): string =>
  [
    `  ${kind}, block ${block}: ${field}`,
    `    ${path}`,
    `    Foldscan ${shown ?? 'nothing'}`,
    `    node     ${told ?? 'nothing'}`,
  ].join('\n')

const sides = { foldscan: 'Foldscan', node: 'the node:', moved: 'the chain moved:' } as const

const failureText = ({ side, reason, path, count }: CountedFailure): string =>
  `  ${count} x ${sides[side]} ${reason}, for example ${path}`

const conclusions: Readonly<Record<AuditReport['status'], string>> = {
  equal: 'nothing differs from the node',
  differs: 'Foldscan differs from the node',
  incomplete: 'nothing differs in what could be compared',
}

const summaryOf = (report: AuditReport): string => {
  const { status, transactions, tokens, addresses, seed, blocks, isCutOff } = report
  const subjects = `${transactions} transactions, ${tokens} tokens, ${addresses} addresses`
  const at = blocks === null ? '' : `, at blocks ${blocks.from} to ${blocks.to}`
  const end = isCutOff ? '; the time was over before all were compared' : ''
  return `${conclusions[status]}: ${subjects}${at}, seed ${seed}${end}`
}
