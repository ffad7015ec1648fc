import { z } from 'zod'

/** An answer of the api, asked by path and query. */
export type Get = (pathAndQuery: string) => Promise<{ status: number; body: unknown }>

/** How a client sends a cursor key that was null: all three mean the same. */
export const nullForms = ['null', 'empty', 'dropped'] as const
export type NullForm = (typeof nullForms)[number]

export interface WalkQuestion {
  readonly path: string
  /** Filters, sent along with every page. */
  readonly parameters: Readonly<Record<string, string>>
  /** Null asks for the default page of 50. */
  readonly itemsCount: number | null
  readonly nullForm: NullForm
  readonly pagesWanted?: number
}

const page = z.strictObject({
  items: z.array(z.unknown()),
  next_page_params: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .nullable(),
})

const defaultItems = 50

/** Far more than any list of a test holds. */
const pagesMax = 5_000

export interface Walked {
  readonly items: readonly unknown[]
  /** False if the walk was broken off before the last page. */
  readonly isWhole: boolean
}

/**
 * A list, page by page, as a client walks it: to its end, or for `pagesWanted` pages.
 * @throws if an answer is no page, if a page before the last is not full, if a page after the
 * first is empty, or if the walk does not end.
 */
export async function walk(get: Get, question: WalkQuestion): Promise<Walked> {
  const { pagesWanted = Number.POSITIVE_INFINITY } = question
  const size = question.itemsCount ?? defaultItems
  const asked: Record<string, string> = { ...question.parameters }
  if (question.itemsCount !== null) asked.items_count = `${question.itemsCount}`
  const items: unknown[] = []
  let cursor: Record<string, string> = {}
  for (let pages = 0; pages < pagesMax; pages++) {
    const at = `${question.path}?${new URLSearchParams({ ...asked, ...cursor })}`
    const answer = await get(at)
    if (answer.status !== 200) throw new Error(`${at} answered ${answer.status}`)
    const read = page.safeParse(answer.body)
    if (!read.success) throw new Error(`${at} is no page: ${read.error.message}`)
    const { items: shown, next_page_params: next } = read.data
    if (shown.length > size) throw new Error(`${at} shows ${shown.length} items`)
    if (shown.length === 0 && pages > 0) throw new Error(`${at} is an empty page after others`)
    items.push(...shown)
    if (next === null) return { items, isWhole: true }
    if (shown.length < size) throw new Error(`${at} is short (${shown.length}) but not the last`)
    if (pages + 1 >= pagesWanted) return { items, isWhole: false }
    cursor = sentBack(next, question.nullForm)
  }
  throw new Error(`${question.path} does not end within ${pagesMax} pages`)
}

function sentBack(
  next: Readonly<Record<string, string | number | boolean | null>>,
  nullForm: NullForm,
): Record<string, string> {
  const sent: Record<string, string> = {}
  for (const [key, value] of Object.entries(next)) {
    if (value !== null) sent[key] = `${value}`
    else if (nullForm === 'null') sent[key] = 'null'
    else if (nullForm === 'empty') sent[key] = ''
  }
  return sent
}
