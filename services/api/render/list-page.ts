import { setImmediate } from 'node:timers/promises'
import { ResultTooLarge } from '../../../libs/ports/store.ts'
import { countWithin } from '../../../libs/queries/read-limits.ts'
import { concatTemplates, type Template, templateOf } from './splices.ts'

/** Bound of a body: a larger page ends early, with a cursor. */
export const pageBytesMax = 4 * 1024 * 1024
/** Bound of a body without its items: the cursor and the spliced confirmations. */
const besidesBytes = 4_096
/** Rendered in one iteration of the event loop: some milliseconds. */
const pauseEveryBytes = 128 * 1024

/** Renders rows of a page after their references were looked up. */
export interface Presenter<R> {
  readonly item: (row: R) => unknown
  readonly cursorAfter: (page: CutPage<R>) => object | null
}

/** A page that is not the last one. */
export interface CutPage<R> {
  readonly shown: readonly R[]
  readonly last: R
  /** The first row of the next page. */
  readonly next: R
}

export interface ListPage<R> {
  /** Rows of the page and the first of the next one; fewer at the end of the list, or by size. */
  readonly rows: readonly R[]
  readonly size: number
  /** Lower bound of the bytes of a row's item. */
  readonly bytesOf?: (row: R) => number
  /** @throws ResultTooLarge when the rows have too many references for one lookup */
  readonly present: (rows: readonly R[]) => Promise<Presenter<R>>
}

/** A page with items and a cursor; fewer items than requested if they are large, at least one. */
export async function listPage<R>(page: ListPage<R>) {
  const { rows, size, bytesOf = () => 0 } = page
  const count = Math.min(size, countWithin(rows, bytesOf, pageBytesMax))
  const { presented, presenter } = await presentedOf(rows.slice(0, count), page.present)
  const items = await rendered(presented, presenter.item, pageBytesMax - besidesBytes)
  const shown = rows.slice(0, items.count)
  const last = shown.at(-1)
  const next = rows[items.count]
  const isLast = last === undefined || next === undefined
  const cursor = isLast ? null : presenter.cursorAfter({ shown, last, next })
  const template = concatTemplates([
    text('{"items":['),
    items.template,
    text(`],"next_page_params":${JSON.stringify(cursor)}}`),
  ])
  return { template, shown }
}

/** A list without pages. @returns the number of rows in it, fewer if they are large */
export async function wholeList<R>(
  rows: readonly R[],
  present: (rows: readonly R[]) => Promise<Pick<Presenter<R>, 'item'>>,
  bytesMax: number,
) {
  const { presented, presenter } = await presentedOf(rows, present)
  const { template, count } = await rendered(presented, presenter.item, bytesMax)
  return { template: concatTemplates([text('['), template, text(']')]), count }
}

/** Looks up the references of rows; of fewer rows if the result would be too large. */
async function presentedOf<R, P>(
  rows: readonly R[],
  present: (rows: readonly R[]) => Promise<P>,
): Promise<{ presented: readonly R[]; presenter: P }> {
  let presented = rows
  for (;;) {
    try {
      return { presented, presenter: await present(presented) }
    } catch (error) {
      if (!(error instanceof ResultTooLarge) || presented.length <= 1) throw error
      presented = presented.slice(0, Math.ceil(presented.length / 4))
    }
  }
}

export interface RenderedItems {
  /** With commas between the items. */
  readonly template: Template
  readonly count: number
}

/** Items as JSON, as many as fit, at least one. */
export async function rendered<R>(
  rows: readonly R[],
  item: (row: R) => unknown,
  bytesMax: number,
): Promise<RenderedItems> {
  const templates: Template[] = []
  // Encoded together: one by one takes more than twice as long.
  let texts: string[] = []
  const encode = () => {
    templates.push(templateOf(texts.join('')))
    texts = []
  }
  let [count, bytes, pauseAt] = [0, 0, pauseEveryBytes]
  for (const row of rows) {
    const json = JSON.stringify(item(row))
    // With the placeholder of an item's confirmations: some 50 bytes more than the template has.
    bytes += Buffer.byteLength(json) + comma.length
    if (bytes > bytesMax && count > 0) break
    texts.push(count === 0 ? json : comma + json)
    count += 1
    if (bytes < pauseAt) continue
    encode()
    await setImmediate()
    pauseAt = bytes + pauseEveryBytes
  }
  encode()
  const [first] = templates
  const isOne = first !== undefined && templates.length === 1
  return { template: isOne ? first : concatTemplates(templates), count }
}

export const text = (json: string): Template => ({ bytes: Buffer.from(json), confirmations: [] })
const comma = ','
