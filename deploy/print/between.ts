/** Lines of a page around what is printed. */
export type Markers = readonly [begin: string, end: string]

/** Markers of a page of Markdown. @param what is printed between them */
export const markersOf = (what: string): Markers => [
  `<!-- ${what}: printed by npm run print -->`,
  `<!-- ${what}: end -->`,
]

/** The page with the text between its markers renewed. @throws if they are missing */
export function between(page: string, [begin, end]: Markers, printed: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`the page lacks the markers ${begin} and ${end}`)
  return `${page.slice(0, from + begin.length)}\n\n${printed.trimEnd()}\n\n${page.slice(to)}`
}
