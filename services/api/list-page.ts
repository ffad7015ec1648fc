import { setImmediate } from 'node:timers/promises'
import { ResultTooLarge } from '../../libs/ports/store.ts'
import { countWithin } from '../../libs/queries/result-size.ts'
import { joined, type Template, templateOf } from './splices.ts'

/** Of a body: a page ends early where it would have more, with a cursor. */
export const pageBytesMax = 4 * 1024 * 1024
/** What a body has besides its items: a cursor, and confirmations that are filled in later. */
const besidesBytes = 4_096
/** Rendered in one turn of the event loop: some milliseconds. */
const pauseEveryBytes = 128 * 1024

/** How a part of a page is shown, once all that its rows name is known. */
export interface Presenter<R> {
  readonly item: (row: R) => unknown
  readonly cursorAfter: (page: CutPage<R>) => object | null
}

/** A page that is not the last one. */
export interface CutPage<R> {
  readonly shown: readonly R[]
  readonly last: R
  /** The first row that is not shown. */
  readonly next: R
}

export interface ListPage<R> {
  /** As many as a page shows, and the next one; fewer at the end, or where they fill it. */
  readonly rows: readonly R[]
  readonly size: number
  /** Bytes that a row's item has at least. */
  readonly bytesOf?: (row: R) => number
  /** @throws ResultTooLarge where the rows name more than can be looked up together */
  readonly present: (rows: readonly R[]) => Promise<Presenter<R>>
}

/** A page with items and a cursor: fewer items than asked for where they fill it, but one. */
export async function listPage<R>(page: ListPage<R>) {
  const { rows, size, bytesOf = () => 0 } = page
  const count = Math.min(size, countWithin(rows, bytesOf, pageBytesMax))
  const { presented, presenter } = await presentedOf(rows.slice(0, count), page.present)
  const items = await rendered(presented, presenter.item, pageBytesMax - besidesBytes)
  const shown = rows.slice(0, items.length)
  const last = shown.at(-1)
  const next = rows[items.length]
  const isLast = last === undefined || next === undefined
  const cursor = isLast ? null : presenter.cursorAfter({ shown, last, next })
  const template = joined([
    text('{"items":['),
    ...separated(items),
    text(`],"next_page_params":${JSON.stringify(cursor)}}`),
  ])
  return { template, shown }
}

/** A body that is a list. @returns how many rows it shows: fewer where they fill it */
export async function wholeList<R>(
  rows: readonly R[],
  present: (rows: readonly R[]) => Promise<Pick<Presenter<R>, 'item'>>,
  bytesMax: number,
) {
  const { presented, presenter } = await presentedOf(rows, present)
  const items = await rendered(presented, presenter.item, bytesMax)
  return { template: joined([text('['), ...separated(items), text(']')]), count: items.length }
}

/** Looks up what rows name, of fewer rows where that is too much. */
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

/** Items as they stand in a body, as many as fit: one at least. */
async function rendered<R>(
  rows: readonly R[],
  item: (row: R) => unknown,
  bytesMax: number,
): Promise<Template[]> {
  const items: Template[] = []
  let bytes = 0
  let pauseAt = pauseEveryBytes
  for (const row of rows) {
    const next = templateOf(JSON.stringify(item(row)))
    bytes += next.body.length + comma.body.length
    if (bytes > bytesMax && items.length > 0) break
    items.push(next)
    if (bytes < pauseAt) continue
    await setImmediate()
    pauseAt = bytes + pauseEveryBytes
  }
  return items
}

const text = (json: string): Template => ({ body: Buffer.from(json), confirmations: [] })
const comma = text(',')

const separated = (items: readonly Template[]): Template[] =>
  items.flatMap((item, at) => (at === 0 ? [item] : [comma, item]))
