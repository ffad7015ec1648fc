// Mixed traffic for a cluster, run by k6: see benchmarks/load/README.md.
import { check } from 'k6'
import { SharedArray } from 'k6/data'
import http from 'k6/http'
import { Counter, Trend } from 'k6/metrics'
import { nextQuery, trafficOf } from './traffic.ts'

const origin = __ENV.ORIGIN || 'http://127.0.0.1:4000'
const rate = numberOf('RATE', 1000, { least: 1, isWhole: true })
const minutes = numberOf('MINUTES', 5, { least: 1, isWhole: true })
const zipfExponent = numberOf('ZIPF', 1, { least: 0 })
const deepShare = numberOf('DEEP_SHARE', 0.1, { least: 0, most: 1 })
const conditionalShare = numberOf('CONDITIONAL_SHARE', 0.05, { least: 0, most: 1 })
const apiKey = __ENV.API_KEY
/** Cursors and tags that a virtual user keeps, each. */
const keptMax = 1000

const [targets] = new SharedArray('targets', () => [
  JSON.parse(open(__ENV.TARGETS || './targets.json')),
])

/** An open loop: requests begin at their time, however long earlier ones take. */
export const options = {
  scenarios: {
    mixed: {
      executor: 'ramping-arrival-rate',
      exec: 'visit',
      startRate: Math.max(1, Math.round(rate / 10)),
      timeUnit: '1s',
      preAllocatedVUs: Math.max(10, Math.round(rate / 10)),
      maxVUs: Math.max(50, rate),
      stages: [
        { target: Math.ceil(rate / 2), duration: '1m' },
        { target: rate, duration: '1m' },
        { target: rate, duration: `${minutes}m` },
        { target: rate * 2, duration: '30s' },
        { target: rate, duration: '30s' },
        { target: 0, duration: '30s' },
      ],
    },
  },
  thresholds: {
    http_req_failed: ['rate<0.001'],
    checks: ['rate>0.9999'],
    dropped_iterations: ['count<1'],
    'http_req_duration{page:first}': ['p(50)<25', 'p(99)<300'],
    'http_req_duration{page:deep}': ['p(99)<400'],
    'http_req_duration{page:conditional}': ['p(99)<100'],
  },
  summaryTrendStats: ['min', 'med', 'p(90)', 'p(99)', 'p(99.9)', 'max'],
}

const notModified = new Counter('not_modified')
const bytes = new Trend('response_bytes')
const next = trafficOf(targets, zipfExponent, Math.random)
const cursors = []
const tags = []

function numberOf(name, byDefault, { least, most = Number.MAX_SAFE_INTEGER, isWhole = false }) {
  const text = __ENV[name] || String(byDefault)
  const value = Number(text)
  if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value
  const kind = isWhole ? 'a whole number' : 'a number'
  throw new Error(`${name} is ${kind} from ${least} to ${most}, not ${text}`)
}

const keep = (kept, one) => {
  if (kept.length < keptMax) kept.push(one)
  else kept[Math.floor(Math.random() * keptMax)] = one
}
const anyOf = (kept) => kept[Math.floor(Math.random() * kept.length)]

function requested() {
  const dice = Math.random()
  if (dice < deepShare && cursors.length > 0) return { page: 'deep', ...anyOf(cursors) }
  if (dice < deepShare + conditionalShare && tags.length > 0) {
    return { page: 'conditional', ...anyOf(tags) }
  }
  return { page: 'first', ...next() }
}

export function visit() {
  const { page, endpoint, target, tag } = requested()
  const headers = {
    'accept-encoding': 'gzip',
    ...(tag ? { 'if-none-match': tag } : {}),
    ...(apiKey ? { 'x-api-key': apiKey } : {}),
  }
  // Named by its template: a metric of each address would fill the memory of k6.
  const response = http.get(origin + target, {
    headers,
    tags: { page, name: endpoint.path },
    responseCallback: http.expectedStatuses(200, 304),
  })
  bytes.add(Number(response.headers['Content-Length'] || 0))
  if (response.status === 304) notModified.add(1)
  const body = response.status === 200 ? response.json() : null
  check(response, {
    'is a page': ({ status }) => status === 304 || (status === 200 && typeof body === 'object'),
  })
  if (body === null) return
  const path = target.split('?')[0]
  const query = nextQuery(body.next_page_params)
  if (query !== undefined) keep(cursors, { endpoint, target: `${path}?${query}` })
  if (response.headers.Etag) keep(tags, { endpoint, target, tag: response.headers.Etag })
}
