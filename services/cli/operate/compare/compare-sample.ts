import { routes } from '../../../api/endpoints/routes.ts'
import { boundedFetch } from '../explorer/bounded-fetch.ts'
import { type ComparedPath, comparePath, type Sides } from './compare-page.ts'
import { isTransaction, type Subject, SubjectPool } from './subjects.ts'
import { type Comparison, Tally } from './tally.ts'

interface SampleOptions {
  readonly sides: Sides
  /** Compared first; their pages name the others. */
  readonly given: readonly Subject[]
  /** Subjects to compare in all. */
  readonly sample: number
  readonly seed: number
  readonly signal: AbortSignal
  /** Receives the number of subjects that have been compared, after each round. */
  readonly onProgress?: (subjects: number) => void
}

/** Subjects of a round: what is next is chosen by what all of a round named, whoever was first. */
const roundMax = 8

/** Compares all endpoints of subjects until there are enough, or none is left. */
export async function compareSample(options: SampleOptions): Promise<Comparison> {
  const { sides, given, sample, seed, signal } = options
  const [here, there] = [boundedFetch(sides.here), boundedFetch(sides.there)]
  const limited = { here: here.fetchPage, there: there.fetchPage }
  const isOver = () => signal.aborted || here.isAway() || there.isAway()
  const subjects = new SubjectPool(given, seed)
  const tally = new Tally(seed)
  while (tally.subjects < sample && !isOver()) {
    const round = nextRound(subjects, Math.min(roundMax, sample - tally.subjects))
    if (round.length === 0) break
    const compared = await Promise.all(
      round.map((subject) =>
        Promise.all(pathsOf(subject).map((page) => comparePath(limited, page))),
      ),
    )
    for (const pages of compared) {
      tally.addSubject(pages)
      for (const { bodies } of pages) subjects.addNamed(bodies)
    }
    options.onProgress?.(tally.subjects)
  }
  return tally.result
}

function nextRound(subjects: SubjectPool, count: number): Subject[] {
  const round: Subject[] = []
  while (round.length < count) {
    const subject = subjects.take()
    if (subject === undefined) break
    round.push(subject)
  }
  return round
}

/** All endpoints of its kind: whether an address is a token, the two have to agree on. */
function pathsOf(subject: Subject): ComparedPath[] {
  const kind = isTransaction(subject) ? 'transaction' : 'address'
  return routes
    .filter((route) => route.subject === kind)
    .map(({ path }) => ({ endpoint: path, path: path.replace(/\{[^}]*\}/, subject) }))
}
