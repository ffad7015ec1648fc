import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'
import { routes } from '../../services/api/endpoints/routes.ts'
import { mulberry32 } from '../../services/demo-chain/random.ts'
import { attackTargets, type SeenPage, seenPage } from './attack-targets.ts'
import { endpointOf } from './endpoint-of.ts'
import { loadOptions, loadOptionsForm } from './load-options.ts'
import { addSubjectsIn, noSubjects } from './subjects-in.ts'
import { missedThresholds, reportLine } from './thresholds.ts'
import { subjectsForm, type Targets, trafficOf } from './traffic.ts'
import { attacked, builtVegeta } from './vegeta.ts'

/**
 * Mixed traffic for a cluster, sent by vegeta; see benchmarks/load/README.md. Exits with code 1 if
 * a threshold is missed.
 */
const options = loadOptions(parseArgs({ options: loadOptionsForm }).values)
const { origin, rate, exponent, apiKey } = options
const integers = mulberry32(options.seed)
const random = () => integers() / 2 ** 32
const say = (line: string) => process.stdout.write(`${line}\n`)

/** Of first pages that are requested beforehand, at once. */
const requestsMax = 8
const crawledMax = 60
const subjectsMax = 400
const seenMax = 400
/** Pages of one list. */
const depthMax = 4
/** Requests in the file; vegeta begins again after the last. */
const linesMax = 20_000

async function page(target: string): Promise<{ body: unknown; etag: string | null } | null> {
  const headers: Record<string, string> = apiKey === null ? {} : { 'x-api-key': apiKey }
  const response = await fetch(origin + target, { headers })
  const text = await response.text()
  if (response.status !== 200) return null
  return { body: JSON.parse(text), etag: response.headers.get('etag') }
}

/** Walks from an address or a token to what its pages name, and so on, until there are enough. */
async function subjectsFrom(start: string): Promise<Targets['subjects']> {
  const found = noSubjects()
  found.addresses.add(start.toLowerCase())
  found.tokens.add(start.toLowerCase())
  const crawled = new Set<string>()
  while (crawled.size < crawledMax && found.addresses.size < subjectsMax) {
    const next = [...found.tokens, ...found.addresses].find((each) => !crawled.has(each))
    if (next === undefined) break
    crawled.add(next)
    const paths = found.tokens.has(next)
      ? [`/api/v2/tokens/${next}/transfers`, `/api/v2/tokens/${next}/holders`]
      : []
    for (const path of [...paths, `/api/v2/addresses/${next}/transactions`]) {
      addSubjectsIn((await page(path))?.body, found)
    }
    // The start may be no token.
    if ((await page(`/api/v2/tokens/${next}`)) === null) found.tokens.delete(next)
  }
  const some = (all: ReadonlySet<string>) => [...all].slice(0, subjectsMax)
  const { addresses, tokens, transactions } = found
  return {
    addresses: some(addresses),
    tokens: some(tokens),
    transactions: some(transactions),
  }
}

/** Requests pages of the traffic once, and some that follow them, for cursors and tags. */
async function seenPages(targets: Targets): Promise<readonly SeenPage[]> {
  const next = trafficOf(targets, exponent, random)
  const wanted = new Set(Array.from({ length: seenMax }, () => next().target))
  const limit = pLimit(requestsMax)
  const seen = await Promise.all([...wanted].map((target) => limit(() => walked(target))))
  return seen.flat()
}

async function walked(first: string): Promise<SeenPage[]> {
  const seen: SeenPage[] = []
  for (let target: string | null = first; target !== null && seen.length < depthMax; ) {
    const found = await page(target)
    if (found === null) break
    const one = seenPage(target, found.etag, found.body)
    seen.push(one)
    target = one.next
  }
  return seen
}

const targets: Targets = {
  endpoints: routes.map(endpointOf),
  subjects:
    options.start === null
      ? subjectsForm.parse(JSON.parse(readFileSync(options.targets, 'utf8')))
      : await subjectsFrom(options.start),
}
const seen = await seenPages(targets)
const { addresses, tokens, transactions } = targets.subjects
say(
  `${addresses.length} addresses, ${tokens.length} tokens, ${transactions.length} transactions; ` +
    `${seen.length} pages, ${seen.filter(({ next }) => next !== null).length} with a next one`,
)
if (seen.length === 0) {
  say('The API has no page of these subjects: --start names an address or a token of its chain.')
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), 'foldscan-load-'))
try {
  const requests = join(folder, 'requests.json')
  const next = attackTargets({ ...options, targets, seen }, random)
  writeFileSync(requests, Array.from({ length: linesMax }, next).join('\n'))
  const program = options.vegeta ?? (await builtVegeta())
  const stages = [
    { name: 'half the rate', rate: Math.ceil(rate / 2), seconds: options.rampSeconds },
    { name: 'the rate', rate, seconds: options.seconds },
    { name: 'twice the rate', rate: rate * 2, seconds: options.rampSeconds },
  ]
  for (const { name, ...stage } of stages) {
    const results = join(folder, 'results')
    const report = await attacked({ program, targets: requests, results, ...stage })
    say(`${name}, ${stage.rate}/s for ${stage.seconds} s: ${reportLine(report)}`)
    const missed = missedThresholds(report, stage.rate, options)
    for (const sentence of missed) say(`  MISSED: ${sentence}`)
    for (const error of (report.errors ?? []).slice(0, 3)) say(`  ${error}`)
    if (missed.length > 0) process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
