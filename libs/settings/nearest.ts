/** The name that takes the fewest typing mistakes to become `word`. `names` is not empty. */
export function nearest(word: string, names: readonly string[]): string {
  let best = ''
  let fewest = Number.POSITIVE_INFINITY
  for (const name of names) {
    const mistakes = distance(word, name)
    if (mistakes < fewest) [best, fewest] = [name, mistakes]
  }
  return best
}

/** Levenshtein, row by row. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const below = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      below.push(Math.min(swap, (row[j] ?? 0) + 1, (below[j - 1] ?? 0) + 1))
    }
    row = below
  }
  return row[b.length] ?? 0
}
