/** Round-robin over the lists, so that none starves the others. */
export function inTurn<T>(lists: readonly (readonly T[])[], countMax: number): readonly T[] {
  const taken: T[] = []
  const longest = Math.max(0, ...lists.map((list) => list.length))
  for (let at = 0; at < longest && taken.length < countMax; at++) {
    for (const list of lists) {
      const [item] = list.slice(at, at + 1)
      if (item !== undefined && taken.length < countMax) taken.push(item)
    }
  }
  return taken
}
