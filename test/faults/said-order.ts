/** A head as an api tells it: the block's number, and its time in seconds. */
export interface SaidHead {
  readonly block: number
  readonly time: number
}

/** What one process of the api said once. */
export interface Said {
  /** Of the process. */
  readonly pid: number
  readonly path: string
  readonly beganAt: number
  readonly endedAt: number
  readonly status: number
  /** Of the headers; null before the first block. */
  readonly head: SaidHead | null
  /** The block of the newest item, where every block has one; else null. */
  readonly newest: SaidHead | null
}

const nameOf = ({ block, time }: SaidHead) => `${block} of ${time}`

/**
 * The law of freshness, seen from outside: no process says less than what it had said before.
 *
 * What was said is held against the heads of the log's prefixes, in order: an answer stands for the
 * earliest prefix of that head that is not before those of the answers which had ended when it was
 * asked. Reverts lead back to lower blocks, but never to an earlier prefix.
 */
export function complaintsOf(said: readonly Said[], heads: readonly (SaidHead | null)[]): string[] {
  const places = new Map<string, number[]>()
  for (const [at, head] of heads.entries()) {
    if (head === null) continue
    const name = nameOf(head)
    places.set(name, [...(places.get(name) ?? []), at])
  }
  const since = (head: SaidHead, floor: number) =>
    places.get(nameOf(head))?.find((place) => place >= floor) ?? null
  const pids = [...new Set(said.map(({ pid }) => pid))]
  return pids.flatMap((pid) =>
    ordered(
      said.filter((one) => one.pid === pid),
      since,
    ),
  )
}

function ordered(
  said: readonly Said[],
  since: (head: SaidHead, floor: number) => number | null,
): string[] {
  const complaints: string[] = []
  /** Those that the floor does not cover yet: a few, as each ends soon. */
  let ended: { readonly endedAt: number; readonly place: number }[] = []
  let floor = 0
  for (const one of said.toSorted((left, right) => left.beganAt - right.beganAt)) {
    ended = ended.filter((before) => {
      const isBefore = before.endedAt < one.beganAt
      if (isBefore) floor = Math.max(floor, before.place)
      return !isBefore
    })
    const about = `${one.path} of process ${one.pid}`
    if (one.newest !== null && since(one.newest, floor) === null) {
      complaints.push(`${about} shows block ${nameOf(one.newest)}, older than what it had said`)
    }
    if (one.head === null) continue
    const place = since(one.head, floor)
    if (place === null) complaints.push(`${about} says ${nameOf(one.head)} after a later head`)
    else ended.push({ endedAt: one.endedAt, place })
  }
  return complaints
}
