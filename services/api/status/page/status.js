// The status page: reads one stream and shows its sections. Everything is set as text, never as
// HTML, because names on a chain are written by strangers.

/**
 * @typedef {object} Sections What the stream sends; times `at` and `seenAt` in ms, others in s.
 * @property {number} at
 * @property {{ id: number, version: string }} chain
 * @property {{ block: number, time: number | null } | null} head
 * @property {{ group: string, position: number, block: number | null, time: number | null }[]} groups
 * @property {{ number: number, time: number | null, seenAt: number }[]} blocks
 */

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
