import { z } from 'zod'

/** An answer of the api, asked by path and query. */
export type Get = (pathAndQuery: string) => Promise<{ status: number; body: unknown }>

/** How a client sends a cursor key that was null: all three mean the same. */
export const nullForms = ['null', 'empty', 'dropped'] as const
export type NullForm = (typeof nullForms)[number]

const cursorForm = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
const page = z.strictObject({
  items: z.array(z.unknown()),
  next_page_params: cursorForm.nullable(),
})

/** The cursor of the next page in a response. */
export type Cursor = z.output<typeof cursorForm>

/** Between two pages of a list. */
export interface Place {
  readonly cursor: Cursor
  readonly itemsBefore: number
}

export interface WalkQuestion {
  readonly path: string
  /** Filters, sent along with every page. */
  readonly parameters: Readonly<Record<string, string>>
  /** Null asks for the default page of 50. */
  readonly itemsCount: number | null
  /** Of the first page, to come to a place that no whole number of pages leads to. */
  readonly firstItemsCount?: number
  /** The nulls of each cursor that is sent take the next of these forms, again and again. */
  readonly nullForms: readonly [NullForm, ...NullForm[]]
  /** Where to begin; at the start without it. */
  readonly from?: Place
  readonly pagesWanted?: number
}

const defaultItems = 50

/** Far more than any list of a test holds. */
const pagesMax = 5_000

export interface Walked {
  readonly items: readonly unknown[]
  /** False if the walk was broken off before the last page. */
  readonly isWhole: boolean
  /** After each page but the last. */
  readonly places: readonly Place[]
}

/**
 * A list, page by page, as a client walks it: to its end, or for `pagesWanted` pages.
 * @throws if an answer is no page, if a page before the last is not full, if a page after the
 * first is empty, or if the walk does not end.
 */
export async function walk(get: Get, question: WalkQuestion): Promise<Walked> {
  const { pagesWanted = Number.POSITIVE_INFINITY, from } = question
  const items: unknown[] = []
  const places: Place[] = []
  let place = from
  for (let pages = 0; pages < pagesMax; pages++) {
    const itemsCount = (pages === 0 ? question.firstItemsCount : null) ?? question.itemsCount
    const size = itemsCount ?? defaultItems
    const query = new URLSearchParams({
      ...question.parameters,
      ...(place ? sentBack(place.cursor, formOf(question, pages)) : {}),
      ...(itemsCount === null ? {} : { items_count: `${itemsCount}` }),
    })
    const at = `${question.path}?${query}`
    const { shown, next } = await pageAt(get, at)
    if (shown.length > size) throw new Error(`${at} shows ${shown.length} items`)
    if (shown.length === 0 && place) throw new Error(`${at} is an empty page after others`)
    items.push(...shown)
    if (next === null) return { items, isWhole: true, places }
    if (shown.length < size) throw new Error(`${at} is short (${shown.length}) but not the last`)
    place = { cursor: next, itemsBefore: (from?.itemsBefore ?? 0) + items.length }
    places.push(place)
    if (pages + 1 >= pagesWanted) return { items, isWhole: false, places }
  }
  throw new Error(`${question.path} does not end within ${pagesMax} pages`)
}

/** Of the cursor that is sent with a page; the first page of a whole list sends none. */
function formOf({ nullForms, from }: WalkQuestion, pages: number): NullForm {
  const cursorsBefore = from ? pages : pages - 1
  return nullForms[cursorsBefore % nullForms.length] ?? nullForms[0]
}

export async function pageAt(get: Get, at: string) {
  const answer = await get(at)
  if (answer.status !== 200) throw new Error(`${at} answered ${answer.status}`)
  const read = page.safeParse(answer.body)
  if (!read.success) throw new Error(`${at} is no page: ${read.error.message}`)
  return { shown: read.data.items, next: read.data.next_page_params }
}

export function sentBack(next: Cursor, nullForm: NullForm): Record<string, string> {
  const sent: Record<string, string> = {}
  for (const [key, value] of Object.entries(next)) {
    if (value !== null) sent[key] = `${value}`
    else if (nullForm === 'null') sent[key] = 'null'
    else if (nullForm === 'empty') sent[key] = ''
  }
  return sent
}
