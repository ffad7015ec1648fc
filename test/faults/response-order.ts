/** A head as an API reports it: the block's number, and its time in seconds. */
export interface ReportedHead {
  readonly block: number
  readonly time: number
}

/** One response of one API process. */
export interface SeenResponse {
  /** Of the process. */
  readonly pid: number
  readonly path: string
  readonly beganAt: number
  readonly endedAt: number
  readonly status: number
  /** Of the headers; null before the first block. */
  readonly head: ReportedHead | null
  /** The block of the newest item, where every block has one; else null. */
  readonly newest: ReportedHead | null
}

const nameOf = ({ block, time }: ReportedHead) => `${block} of ${time}`

/**
 * The law of freshness, seen from outside: no process returns a head older than before.
 *
 * Responses are compared with the heads of the log's prefixes, in order: an answer stands for the
 * earliest prefix of that head that is not before those of the answers which had ended when it was
 * asked. Reverts lead back to lower blocks, but never to an earlier prefix.
 */
export function complaintsOf(
  responses: readonly SeenResponse[],
  heads: readonly (ReportedHead | null)[],
): string[] {
  const places = new Map<string, number[]>()
  for (const [at, head] of heads.entries()) {
    if (head === null) continue
    const name = nameOf(head)
    places.set(name, [...(places.get(name) ?? []), at])
  }
  const since = (head: ReportedHead, floor: number) =>
    places.get(nameOf(head))?.find((place) => place >= floor) ?? null
  const pids = [...new Set(responses.map(({ pid }) => pid))]
  return pids.flatMap((pid) =>
    ordered(
      responses.filter((one) => one.pid === pid),
      since,
    ),
  )
}

function ordered(
  responses: readonly SeenResponse[],
  since: (head: ReportedHead, floor: number) => number | null,
): string[] {
  const complaints: string[] = []
  /** Those that the floor does not cover yet: a few, as each ends soon. */
  let ended: { readonly endedAt: number; readonly place: number }[] = []
  let floor = 0
  for (const one of responses.toSorted((left, right) => left.beganAt - right.beganAt)) {
    ended = ended.filter((before) => {
      const isBefore = before.endedAt < one.beganAt
      if (isBefore) floor = Math.max(floor, before.place)
      return !isBefore
    })
    const about = `${one.path} of process ${one.pid}`
    if (one.newest !== null && since(one.newest, floor) === null) {
      complaints.push(`${about} shows block ${nameOf(one.newest)}, older than what it had returned`)
    }
    if (one.head === null) continue
    const place = since(one.head, floor)
    if (place === null) complaints.push(`${about} returns ${nameOf(one.head)} after a later head`)
    else ended.push({ endedAt: one.endedAt, place })
  }
  return complaints
}
