import type { Complaint } from './text-checks.ts'

/** Lines a file, of all files. The median is kept from growing past what one reads at a glance. */
export const lines = { median: 90, percentile95: 250, max: 400 } as const
export const widthMax = 100

export interface Counted {
  readonly path: string
  readonly lines: number
}

export function tooLong(files: readonly Counted[]): Complaint[] {
  const sorted = files.map((file) => file.lines).sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  const median = at(0.5) ?? 0
  const percentile95 = at(0.95) ?? 0
  return [
    ...(median > lines.median ? [`the median file has ${median} lines, not ${lines.median}`] : []),
    ...(percentile95 > lines.percentile95
      ? [`the 95th percentile has ${percentile95} lines, not ${lines.percentile95}`]
      : []),
    ...files
      .filter((file) => file.lines > lines.max)
      .map((file) => `${file.path} has ${file.lines} lines, above ${lines.max}`),
  ]
}

export const countLines = (text: string) => text.replace(/\n$/, '').split('\n').length
