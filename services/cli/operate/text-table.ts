type Cell = string | number | null

/** Lines of cells under their headings; unknown values are a dash. Numbers are aligned right. */
export function textTable(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const widths = headings.map((heading, at) =>
    Math.max(heading.length, ...rows.map((row) => shown(row[at]).length)),
  )
  const isNumeric = headings.map((_, at) => rows.every((row) => typeof row[at] !== 'string'))
  const line = (cells: readonly (Cell | undefined)[]) =>
    cells
      .map((cell, at) => {
        const width = widths[at] ?? 0
        return isNumeric[at] ? shown(cell).padStart(width) : shown(cell).padEnd(width)
      })
      .join('  ')
      .trimEnd()
  return [headings, ...rows].map(line).join('\n')
}

const shown = (cell: Cell | undefined): string =>
  cell === null || cell === undefined ? '-' : String(cell)
