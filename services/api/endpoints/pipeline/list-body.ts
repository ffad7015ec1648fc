import { setImmediate } from 'node:timers/promises'
import { concatTemplates, type Template, templateOfBytes } from '../../response/splices.ts'
import type { CutPage } from './steps.ts'

/** Bound of a body: a larger page ends early, with a cursor. */
export const pageBytesMax = 4 * 1024 * 1024
/** Bound of the costs of a page's rows: some 50 rows with their addresses beside such a body. */
export const pageCostMax = pageBytesMax + 512 * 1024
/** Bound of a body without its items: the cursor and the spliced confirmations. */
const besidesBytes = 4_096
/** Rendered in one iteration of the event loop: some milliseconds. */
const pauseEveryBytes = 128 * 1024

interface Presenter<R> {
  readonly item: (row: R) => unknown
  readonly cursorAfter: (page: CutPage<R>) => object | null
}

/**
 * A body with items and a cursor.
 * @param rows of the page and the first of the next one; fewer at the end of the list
 * @param presented rows of the page whose references were looked up
 * @returns the body, and the rows in it: as many as fit
 */
export async function listBody<R>(
  rows: readonly R[],
  presented: readonly R[],
  { item, cursorAfter }: Presenter<R>,
) {
  const items = await rendered(presented, item, pageBytesMax - besidesBytes)
  const shown = rows.slice(0, items.count)
  const last = shown.at(-1)
  const next = rows[items.count]
  const isLast = last === undefined || next === undefined
  const cursor = isLast ? null : cursorAfter({ shown, last, next })
  const template = concatTemplates([
    text('{"items":['),
    ...items.templates,
    text(`],"next_page_params":${JSON.stringify(cursor)}}`),
  ])
  return { template, shown }
}

/** A body without pages. @returns the number of rows in it, fewer if they are large */
export async function wholeBody<R>(
  rows: readonly R[],
  item: (row: R) => unknown,
  bytesMax: number,
) {
  const { templates, count } = await rendered(rows, item, bytesMax)
  return { template: concatTemplates([text('['), ...templates, text(']')]), count }
}

export interface RenderedItems {
  /** To be concatenated, with commas between the items. */
  readonly templates: readonly Template[]
  readonly count: number
}

/** Items as JSON, as many as fit, at least one. */
export async function rendered<R>(
  rows: readonly R[],
  item: (row: R) => unknown,
  bytesMax: number,
): Promise<RenderedItems> {
  const templates: Template[] = []
  let texts: string[] = []
  let [count, bytes, encodedBytes] = [0, 0, 0]
  const encode = () => {
    templates.push(templateOfBytes(encoded(texts, bytes - encodedBytes)))
    texts = []
    encodedBytes = bytes
  }
  for (const row of rows) {
    const json = JSON.stringify(item(row))
    // With the placeholder of an item's confirmations: some 50 bytes more than the template has.
    const itemBytes = Buffer.byteLength(json) + comma.length
    if (bytes + itemBytes > bytesMax && count > 0) break
    if (count > 0) texts.push(comma)
    texts.push(json)
    count += 1
    bytes += itemBytes
    if (bytes - encodedBytes < pauseEveryBytes) continue
    encode()
    await setImmediate()
  }
  encode()
  return { templates, count }
}

/** Bytes of a text from which it is encoded alone, which does without a copy of the text. */
const longTextBytes = 8_192

/** @param bytesMax upper bound of the result */
function encoded(texts: readonly string[], bytesMax: number): Buffer {
  // Encoded together: one by one takes more than twice as long if they are short.
  if (bytesMax < longTextBytes * texts.length) return Buffer.from(texts.join(''))
  const bytes = Buffer.allocUnsafe(bytesMax)
  let end = 0
  for (const part of texts) end += bytes.write(part, end)
  return bytes.subarray(0, end)
}

export const text = (json: string): Template => ({ bytes: Buffer.from(json), confirmations: [] })
const comma = ','
