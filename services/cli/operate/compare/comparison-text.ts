import type { Comparison, FieldDifference } from './tally.ts'

/** A result for people. */
export function comparisonText(result: Comparison): string {
  const { differences, leftOut, known, failures } = result
  const sections = [
    differences.map(differenceText),
    leftOut === 0 ? [] : [`${leftOut} differences of further fields are left out.`],
    failures.length === 0 ? [] : ['Not compared:'],
    failures.map(({ count, reason, path }) => `  ${count} x ${reason}, for example ${path}`),
    known.length === 0 ? [] : ['Known differences (libs/presenters/CONTRACT.md):'],
    known.map(
      ({ decision, why, count, path }) =>
        `  ${count} x decision ${decision}: ${why}, for example ${path}`,
    ),
  ]
  return [...sections.flat(), summaryOf(result)].join('\n')
}

function differenceText({ endpoint, field, count, example }: FieldDifference): string {
  const { path, item, here, there } = example
  return [
    `${endpoint} ${field}: ${counted(count, 'difference')}`,
    `  ${path}${item === null ? '' : `, item ${item}`}`,
    `  here  ${here}`,
    `  there ${there}`,
  ].join('\n')
}

const conclusions: Readonly<Record<Comparison['status'], string>> = {
  equal: 'no difference',
  differs: 'they differ',
  incomplete: 'no difference in what could be compared',
}

const summaryOf = ({ status, subjects, pages, seed }: Comparison): string => {
  const conclusion = pages === 0 ? 'nothing could be compared' : conclusions[status]
  return `${conclusion}: ${counted(pages, 'page')} of ${counted(subjects, 'subject')}, seed ${seed}`
}

const counted = (count: number, thing: string): string =>
  `${count} ${thing}${count === 1 ? '' : 's'}`
