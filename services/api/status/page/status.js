// The status page: reads one stream and shows its sections. Everything is set as text, never as
// HTML, because names on a chain are written by strangers.

/**
 * @typedef {object} Sections What the stream sends; times `at` and `seenAt` in ms, others in s.
 * @property {number} at
 * @property {{ id: number, version: string }} chain
 * @property {{ block: number, time: number | null } | null} head
 * @property {{ group: string, position: number, block: number | null, time: number | null }[]} groups
 * @property {{ number: number, time: number | null, seenAt: number }[]} blocks
 * @property {Rates} rates
 * @property {Record<string, number>} reads Pages, by where they came from.
 * @property {{ blocks: (number | null)[], requests: number[] }} series One value every five seconds.
 * @property {{ problem: string | null, sizes: TableSize[] }} tables
 * @property {{ what: string, path: string }[]} examples
 * @property {Audit | null} audit Null while nothing is compared with a node.
 */

/**
 * @typedef {object} Rates A second, over so many seconds; null while unknown.
 * @property {number} seconds
 * @property {number | null} blocks
 * @property {number | null} transfers
 * @property {number | null} requests
 * @property {number} measured Requests whose durations `p50` and `p99` bound, in seconds.
 * @property {number | null} p50
 * @property {number | null} p99
 * @property {number} measuredMax Nothing longer is measured.
 */

/**
 * @typedef {object} Audit What was found, beside the state of a node.
 * @property {number | null} at When the last round ended, in ms; null before.
 * @property {number} checked
 * @property {number} differing
 * @property {number} unknown
 * @property {AuditedKind[]} rows
 * @property {{ path: string, field: string, block: number, shown: string | null, told: string | null }[]} differences
 */

/**
 * @typedef {object} AuditedKind
 * @property {string} kind
 * @property {string | null} standard
 * @property {number} checked
 * @property {number} differing
 * @property {number | null} coverage Share of the checked values that are equal, 0 to 1.
 */

/** @typedef {{ table: string, rows: number, bytes: number }} TableSize */

const streamUrl = 'api/status/stream'
/** Events come every second: without one for so long, the connection is of no use. */
const silentMsMax = 10_000
const lateMs = 3_000
const retryMsMin = 1_000
const retryMsMax = 30_000

/** @type {Partial<Sections>} */
const shown = {}
let receivedAt = performance.now()
/** Why there is no stream; empty while there is one. */
let trouble = 'connecting'

const byId = (/** @type {string} */ id) => {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`the page has no ${id}`)
  return element
}

/** Readers of the page are not told what has not changed. */
const setText = (/** @type {Element} */ element, /** @type {string} */ text) => {
  if (element.textContent !== text) element.textContent = text
}
const show = (/** @type {string} */ id, /** @type {string} */ text) => setText(byId(id), text)

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

const precise = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

const rate = (/** @type {number | null} */ perSecond) =>
  perSecond === null ? 'measuring' : `${precise.format(perSecond)} /s`

const byteUnits = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB']

/** @param {number} count */
function bytes(count) {
  const power = count < 1 ? 0 : Math.floor(Math.log10(count) / 3)
  const unit = Math.min(power, byteUnits.length - 1)
  return `${precise.format(count / 1_000 ** unit)} ${byteUnits[unit]}`
}

/** How long a request took at most. @param {Rates} rates @param {number | null} bound */
function within({ measured, measuredMax }, bound) {
  if (measured === 0) return 'no requests'
  if (bound === null) return `over ${precise.format(measuredMax)} s`
  return bound < 1 ? `${precise.format(bound * 1_000)} ms` : `${precise.format(bound)} s`
}

/** @param {number} seconds */
function duration(seconds) {
  if (seconds < 120) return `${whole.format(Math.max(0, seconds))} s`
  if (seconds < 7_200) return `${whole.format(seconds / 60)} min`
  if (seconds < 172_800) return `${whole.format(seconds / 3_600)} h`
  return `${whole.format(seconds / 86_400)} days`
}

/** Of the server, in seconds: its clock and not that of the viewer dates blocks. */
const serverNow = () => ((shown.at ?? 0) + performance.now() - receivedAt) / 1_000

/**
 * A cell: its text, or the time whose age it shows.
 * @typedef {string | { since: number | null }} Cell
 */

/** @param {HTMLElement} element @param {Cell} cell */
function setCell(element, cell) {
  if (typeof cell === 'string') setText(element, cell)
  else if (cell.since === null) setText(element, 'unknown')
  else {
    element.dataset.since = String(cell.since)
    showAge(element)
  }
}

/** @param {HTMLElement} element */
const showAge = (element) =>
  setText(element, duration(Math.floor(serverNow() - Number(element.dataset.since))))

/** @param {string} id @param {readonly (readonly Cell[])[]} rows */
function showTable(id, rows) {
  const section = byId(id)
  section.hidden = rows.length === 0
  const body = section.querySelector('tbody')
  body?.replaceChildren(...rows.map(rowOf))
}

/** @param {readonly Cell[]} cells */
function rowOf(cells) {
  const row = document.createElement('tr')
  for (const [at, cell] of cells.entries()) {
    const element = document.createElement(at === 0 ? 'th' : 'td')
    if (at === 0) element.setAttribute('scope', 'row')
    setCell(element, cell)
    row.append(element)
  }
  return row
}

/** @param {{ what: string, path: string }} example */
function linkOf({ what, path }) {
  const [item, link] = [document.createElement('li'), document.createElement('a')]
  // Relative, as all addresses of the page.
  link.href = path.replace(/^\/+/, '')
  setText(link, what)
  item.append(link)
  return item
}

/** Size of the charts' own coordinates. */
const chart = { width: 300, height: 60 }

/** @param {string} id @param {readonly (number | null)[]} values oldest first */
function showChart(id, values) {
  const known = values.filter((value) => value !== null)
  const max = Math.max(0, ...known)
  show(`${id}-max`, precise.format(max))
  const step = chart.width / Math.max(1, values.length - 1)
  const points = values.flatMap((value, at) => {
    if (value === null) return []
    const height = max === 0 ? 0 : (value / max) * (chart.height - 4)
    return [`${(at * step).toFixed(1)},${(chart.height - 2 - height).toFixed(1)}`]
  })
  const first = points[0]?.split(',')[0]
  const last = points.at(-1)?.split(',')[0]
  const under = `${first},${chart.height} ${points.join(' ')} ${last},${chart.height}`
  byId(id).replaceChildren(
    shape('polygon', 'area', points.length > 0 ? under : ''),
    shape('polyline', 'line', points.join(' ')),
  )
}

/** @param {string} name @param {string} kind @param {string} points */
function shape(name, kind, points) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  element.setAttribute('class', kind)
  element.setAttribute('points', points)
  return element
}

/** @type {Record<string, string>} */
const sources = {
  process: 'memory of this process',
  redis: 'Redis',
  clickhouse: 'ClickHouse',
}

/** @type {Record<string, string>} */
const problems = {
  'not permitted': 'The user of this api may not read system.tables.',
  'not answered': 'ClickHouse did not answer the last time: sizes are old, or missing.',
}

/**
 * How each section is shown, when it has changed.
 * @type {{ [K in keyof Sections]?: (section: Sections[K]) => void }}
 */
const showing = {
  chain: ({ id, version }) => show('chain', `chain ${id} · version ${version}`),
  head(head) {
    const block = head === null ? 'none yet' : whole.format(head.block)
    show('head-block', block)
    document.title = `${block} · Foldscan`
  },
  groups: (groups) =>
    showTable(
      'groups',
      groups.map(({ group, block, time, position }) => [
        group,
        block === null ? '' : whole.format(block),
        { since: time },
        whole.format(position),
      ]),
    ),
  blocks: (blocks) =>
    showTable(
      'blocks',
      blocks.map(({ number, time, seenAt }) => [
        whole.format(number),
        { since: time },
        time === null ? 'unknown' : duration(Math.round(seenAt / 1_000 - time)),
      ]),
    ),
  rates(rates) {
    byId('rates').hidden = false
    show('blocks-rate', rate(rates.blocks))
    show('transfers-rate', rate(rates.transfers))
    show('requests-rate', rate(rates.requests))
    show('p50', within(rates, rates.p50))
    show('p99', within(rates, rates.p99))
  },
  reads(reads) {
    const total = Object.values(reads).reduce((sum, pages) => sum + pages, 0)
    showTable(
      'reads',
      Object.entries(reads).map(([source, pages]) => [
        sources[source] ?? source,
        whole.format(pages),
        total === 0 ? '' : share.format(pages / total),
      ]),
    )
  },
  series({ blocks, requests }) {
    byId('charts').hidden = blocks.length < 2
    showChart('blocks-chart', blocks)
    showChart('requests-chart', requests)
  },
  examples(examples) {
    const section = byId('examples')
    section.hidden = examples.length === 0
    section.querySelector('ul')?.replaceChildren(...examples.map(linkOf))
  },
  audit(audit) {
    showTable(
      'audit',
      (audit?.rows ?? []).map(({ kind, standard, checked, differing, coverage }) => [
        kind,
        standard ?? '',
        whole.format(checked),
        whole.format(differing),
        // Rounded down: 100 % only where all are equal.
        coverage === null ? '' : share.format(Math.floor(coverage * 1_000) / 1_000),
      ]),
    )
    showTable(
      'differences',
      (audit?.differences ?? []).map(({ path, field, block, shown: own, told }) => [
        `${field} of ${path}`,
        whole.format(block),
        own ?? 'nothing',
        told ?? 'nothing',
      ]),
    )
    byId('audit').hidden = audit === null
    if (audit === null) return
    setCell(byId('audit-at'), audit.at === null ? 'none yet' : { since: audit.at / 1_000 })
    const { checked, differing, unknown } = audit
    const counts = [`${whole.format(checked)} checked`, `${whole.format(differing)} differ`]
    show('audit-sum', [...counts, `${whole.format(unknown)} not shown`].join(', '))
  },
  tables({ problem, sizes }) {
    showTable(
      'tables',
      sizes.map(({ table, rows, bytes: size }) => [table, whole.format(rows), bytes(size)]),
    )
    byId('tables').hidden = problem === null && sizes.length === 0
    show('tables-note', problem === null ? '' : (problems[problem] ?? problem))
  },
}

/** @param {Partial<Sections>} sections */
function receive(sections) {
  Object.assign(shown, sections)
  receivedAt = performance.now()
  trouble = ''
  /** @type {(name: keyof Sections) => void} */
  const showOne = (name) => {
    const section = sections[name]
    const shower = /** @type {((section: unknown) => void) | undefined} */ (showing[name])
    if (section !== undefined) shower?.(section)
  }
  for (const name of Object.keys(sections)) showOne(/** @type {keyof Sections} */ (name))
  showTimes()
}

/** What changes without an event. */
function showTimes() {
  const time = shown.head?.time ?? null
  const age = time === null ? '' : `${duration(Math.floor(serverNow() - time))} old`
  show('head-age', age)
  for (const element of document.querySelectorAll('[data-since]')) {
    if (element instanceof HTMLElement) showAge(element)
  }
  showState()
}

function showState() {
  const silentMs = performance.now() - receivedAt
  const isLate = trouble !== '' || silentMs > lateMs
  const last = shown.at === undefined ? '' : `last update ${duration(silentMs / 1_000)} ago, `
  show('state', isLate ? `${last}${trouble || 'waiting'}` : 'live')
  byId('state').classList.toggle('late', isLate && shown.at !== undefined)
}

/** Reads events until the stream ends. @returns whether there were any */
async function readStream() {
  const silent = new AbortController()
  const restart = () => setTimeout(() => silent.abort(), silentMsMax)
  let timer = restart()
  let hasEvents = false
  try {
    const response = await fetch(streamUrl, { signal: silent.signal, cache: 'no-store' })
    if (!response.ok || response.body === null) {
      trouble = refusals.get(response.status) ?? `refused with status ${response.status}`
      return false
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      clearTimeout(timer)
      timer = restart()
      const events = `${rest}${value}`.split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) receive(JSON.parse(event.slice('data: '.length)))
      hasEvents = true
    }
    trouble = 'reconnecting'
  } catch {
    trouble = 'no connection, reconnecting'
  } finally {
    clearTimeout(timer)
    silent.abort()
  }
  return hasEvents
}

/** Why a stream is refused, by status. */
const refusals = new Map([
  [429, 'too many requests or status pages from your address, trying again'],
  [503, 'the service is starting, or too many status pages are open, trying again'],
])

async function follow() {
  for (let retryMs = retryMsMin; ; ) {
    retryMs = (await readStream()) ? retryMsMin : Math.min(retryMsMax, retryMs * 2)
    showState()
    const waitMs = retryMs
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}

setInterval(showTimes, 1_000)
showState()
void follow()
