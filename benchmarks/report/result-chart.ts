import { type BenchmarkResult, type Figure, isMet } from './result.ts'
import { number } from './result-table.ts'

const rowHeight = 46
const left = 330
const barWidth = 420
const width = left + barWidth + 190
const colors = { met: '#2e7d32', missed: '#c62828', none: '#1565c0', baseline: '#90a4ae' }

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

interface Bar {
  readonly y: number
  readonly share: number
  readonly color: string
  readonly label: string
}

const barOf = ({ y, share, color, label }: Bar): string =>
  `<rect x="${left}" y="${y}" width="${Math.max(1, share * barWidth).toFixed(1)}" height="14" ` +
  `fill="${color}"/><text x="${(left + share * barWidth + 6).toFixed(1)}" y="${y + 11}">` +
  `${escaped(label)}</text>`

/**
 * A figure as a bar with its baseline below it, on a scale of its own: figures of a benchmark have
 * different units. A library for charts would be larger than these lines, and would draw one scale.
 */
function figureRow(figure: Figure, top: number): string {
  const { name, value, unit, baseline, ratio, goal, spread } = figure
  const limit = goal && (goal.of === 'value' ? goal.limit : goal.limit * (baseline?.value ?? 0))
  const scale = Math.max(value, baseline?.value ?? 0, limit ?? 0, spread?.max ?? 0) || 1
  const met = isMet(figure)
  const color = met === undefined ? colors.none : met ? colors.met : colors.missed
  const x = (at: number) => (left + (at / scale) * barWidth).toFixed(1)
  const label = `${number(value)} ${unit}${ratio === undefined ? '' : ` (${ratio.toFixed(2)})`}`
  return [
    `<text x="${left - 10}" y="${top + 11}" text-anchor="end">${escaped(name)}</text>`,
    barOf({ y: top, share: value / scale, color, label }),
    baseline &&
      barOf({
        y: top + 17,
        share: baseline.value / scale,
        color: colors.baseline,
        label: `${number(baseline.value)} ${baseline.part}`,
      }),
    spread &&
      `<path d="M${x(spread.min)} ${top + 7}H${x(spread.max)}" stroke="#000" stroke-width="2"/>`,
    limit !== undefined &&
      `<path d="M${x(limit)} ${top - 4}V${top + 35}" stroke="#000" stroke-dasharray="3 2"/>`,
  ]
    .filter((part) => typeof part === 'string')
    .join('\n')
}

/** Dashed line: the goal. Green: met; red: missed; blue: no goal; grey: the baseline. */
export function resultChart({ benchmark, figures, machine, load }: BenchmarkResult): string {
  const height = 60 + figures.length * rowHeight
  const heading = `${benchmark}: ${machine.cores} x ${machine.cpu}, load ${load.start} to ${load.end}`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="12">
<title>${escaped(heading)}</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="12" y="22" font-size="14" font-weight="bold">${escaped(heading)}</text>
${figures.map((figure, at) => figureRow(figure, 44 + at * rowHeight)).join('\n')}
</svg>
`
}
