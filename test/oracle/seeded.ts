/** A number below 2^32 that follows from the seed and the words, and looks like no other. */
export function seeded(seed: number, ...words: readonly (string | number)[]): number {
  let mixed = seed ^ 0x811c9dc5
  for (const letter of words.join(' ')) {
    mixed = Math.imul(mixed ^ (letter.codePointAt(0) ?? 0), 0x01000193)
  }
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
