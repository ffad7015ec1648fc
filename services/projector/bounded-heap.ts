import { setFlagsFromString } from 'node:v8'

/** How much may be allocated between two collections of the old heap, in percent of what lives. */
const heapGrowthMaxPercent = 100

/**
 * Folding keeps little and throws away much. Left alone, V8 lets the heap of a process that is
 * always busy grow to four times what lives, to collect less often. For the whole process, and
 * read at each collection. Figures in libs/README.md.
 */
export function boundHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${heapGrowthMaxPercent}`)
}
