/** What a reader received from a pod of the api; times are those of `performance.now()`. */
export interface Received {
  readonly path: string
  /** Status and body. */
  readonly text: string
  /** Of header `x-indexed-block`; null where it has none. */
  readonly block: number | null
  readonly beganAt: number
  readonly endedAt: number
}

/** A block on its way from the node to all pods that get requests. */
export interface Shown {
  readonly block: number
  readonly minedAt: number
  /** From then on, all of them show it. */
  readonly shownAt: number
}

/** The right answers: by path, those of each block. */
export type RightAnswers = ReadonlyMap<string, ReadonlyMap<number, string>>

export interface Judgement {
  /** What was wrong with answers, in a sentence; at most one a path. */
  readonly complaints: readonly string[]
  /** Answers that are neither of the block before nor of the one after, while one is folded. */
  readonly between: readonly string[]
  /** Answers that no block on its way can excuse. */
  readonly strict: number
}

/**
 * An answer is right if the embedded form gives it at the block that it names or at a later one,
 * and if not every pod had shown a later block before it was asked. While a block is folded, one
 * group may have it and another may not: an answer may then be of neither block, and is counted.
 */
export function judged(
  received: readonly Received[],
  right: RightAnswers,
  shown: readonly Shown[],
): Judgement {
  const complaints = new Map<string, string>()
  const between: string[] = []
  let strict = 0
  for (const one of received) {
    const { path, text, block, beganAt, endedAt } = one
    const isOnItsWay = shown.some((each) => each.minedAt < endedAt && beganAt < each.shownAt)
    if (!isOnItsWay) strict += 1
    const seen = shown.filter(({ shownAt }) => shownAt < beganAt).map((each) => each.block)
    const floor = Math.max(0, ...seen)
    const from = Math.max(block ?? floor, floor)
    const answers = right.get(path) ?? new Map<number, string>()
    if (block !== null && block < floor) {
      complaints.set(path, `${path} is of block ${block}, and all pods had shown ${floor}`)
    } else if ([...answers].some(([at, wanted]) => at >= from && wanted === text)) {
    } else if (isOnItsWay) {
      between.push(`${path} at block ${from}: ${difference(text, answers.get(from))}`)
    } else {
      complaints.set(path, `${path} at block ${from}: ${difference(text, answers.get(from))}`)
    }
  }
  return { complaints: [...complaints.values()], between, strict }
}

const shownMaxChars = 120

function difference(text: string, wanted = 'nothing'): string {
  let at = 0
  while (at < text.length && text[at] === wanted[at]) at += 1
  const around = (one: string) => one.slice(Math.max(0, at - shownMaxChars), at + shownMaxChars)
  return `${around(text)} instead of ${around(wanted)}`
}
