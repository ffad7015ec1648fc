import { expect } from 'vitest'
import { z } from 'zod'
import type { Address } from '../../../libs/chain/hex.ts'
import { type Standard, standards } from '../../../libs/chain/token.ts'
import { anAddress } from '../../../libs/presenters/testing/rows.ts'
import { rateHours } from '../../../libs/tables/tables/tokens.ts'
import { bucketOf } from '../../../libs/topics/changes.ts'
import type { RunQuestion } from '../rows/run-question.ts'
import type { Answers } from './answers.ts'
import { bodyOf, testApi } from './test-api.ts'

/** What an address holds of one token, by the token's number. */
export interface Holding {
  readonly n: number
  readonly value: bigint
  /** Index in `standards`. */
  readonly standard: number
  readonly decimals: number | null
  /** An id of a collection: it has no fiat value. */
  readonly isInstance: boolean
}

/** Decimal strings by the number of a token. */
export type Rates = Readonly<Record<string, string>>

/** Tables that a walk reads, of one holder. */
export interface RatedTables {
  readonly answers: Answers | RunQuestion
  readonly holder: Address
  readonly tokenAt: (n: number) => Address
  /** The first hour that no rates were written of. */
  readonly firstHour: number
  /** Rates of so many hours are kept. */
  readonly hoursKept: number
  /** What the holder begins with. */
  fill(of: readonly Holding[]): Promise<void>
  move(now: Holding, before: Holding): Promise<void>
  remove(before: Holding): Promise<void>
  begin(hour: number, rates: Rates): Promise<void>
}

/** Internal ids: the later a token came, the greater. */
export const ordinalOf = ({ n }: Pick<Holding, 'n'>): number => 100 + n

/** A fraction as two whole numbers, so that the test shares no arithmetic with what it tests. */
function naiveFiat(held: Holding, text: string | undefined): [bigint, bigint] | null {
  if (text === undefined || text.length > 60 || held.isInstance) return null
  if (held.decimals === null || held.decimals > 77) return null
  const [whole = '', fraction = ''] = text.split('.')
  const divisor = BigInt(`1${'0'.repeat(fraction.length + held.decimals)}`)
  return [held.value * BigInt(whole + fraction), divisor]
}

export function naiveOrder(of: readonly Holding[], rates: Rates): Holding[] {
  return [...of].sort((one, other) => {
    const [a, b] = [naiveFiat(one, rates[one.n]), naiveFiat(other, rates[other.n])]
    if ((a === null) !== (b === null)) return a === null ? 1 : -1
    if (a !== null && b !== null && a[0] * b[1] !== b[0] * a[1]) {
      return a[0] * b[1] > b[0] * a[1] ? -1 : 1
    }
    if (one.value !== other.value) return one.value > other.value ? -1 : 1
    return ordinalOf(other) - ordinalOf(one)
  })
}

/** What happens between two pages. */
export type WalkEvent =
  | { readonly kind: 'hour'; readonly rates: Rates }
  | { readonly kind: 'moves'; readonly n: number; readonly value: bigint }
  | { readonly kind: 'nothing' }

/** An address whose balances and rates change while its list is walked. */
export class RatedWorld {
  readonly moved = new Set<number>()
  private readonly tables: RatedTables
  private readonly held = new Map<number, Holding>()
  private hour: number
  private at = 1
  private api: ReturnType<typeof testApi>

  private constructor(tables: RatedTables) {
    this.tables = tables
    this.hour = tables.firstHour - 1
    this.api = this.started()
  }

  static async start(tables: RatedTables, of: readonly Holding[], rates: Rates) {
    const world = new RatedWorld(tables)
    for (const one of of) world.held.set(one.n, one)
    await tables.fill(of)
    await world.begin(rates)
    return world
  }

  /** The next page comes from another process, which has cached nothing. */
  restart(): void {
    this.api = this.started()
    this.announceHour()
  }

  private started() {
    const api = testApi(this.tables.answers)
    api.announce('ledger', 1)
    api.announce('state', 1)
    return api
  }

  async play(one: WalkEvent): Promise<void> {
    if (one.kind === 'hour') await this.begin(one.rates)
    if (one.kind === 'moves') await this.move(one.n, one.value)
  }

  /** The rates of the newest hour give way to these. */
  async beginLongAfter(rates: Rates): Promise<void> {
    this.hour += this.tables.hoursKept - 1
    await this.begin(rates)
  }

  private async move(n: number, value: bigint): Promise<void> {
    const before = this.held.get(n)
    if (before === undefined) return
    this.moved.add(n)
    const now = { ...before, value }
    if (value === 0n) {
      this.held.delete(n)
      await this.tables.remove(before)
    } else {
      this.held.set(n, now)
      await this.tables.move(now, before)
    }
    const moved = { balances_by_value: [bucketOf(this.tables.holder)] }
    this.api.announce('state', ++this.at, { moved })
  }

  private async begin(rates: Rates): Promise<void> {
    this.hour += 1
    await this.tables.begin(this.hour, rates)
    this.announceHour()
  }

  private announceHour(): void {
    const moved = { token_rates: [bucketOf(rateHours)] }
    this.api.announce('dimensions', ++this.at, { time: this.hour * 3_600 + 59, moved })
  }

  async page(query: Readonly<Record<string, string>>) {
    const { holder, tokenAt } = this.tables
    const path = `/api/v2/addresses/${holder}/tokens?${new URLSearchParams(query)}`
    const response = await this.api.ask(path)
    const read = page.parse(bodyOf(response))
    const first = Number(BigInt(tokenAt(0)))
    const shown = read.items.map(({ token }) => Number(BigInt(token.address_hash)) - first)
    return { shown, next: read.next_page_params, isChanged: 'x-order-changed' in response.headers }
  }
}

const page = z.object({
  items: z.array(z.object({ token: z.object({ address_hash: z.string() }) })),
  next_page_params: z.record(z.string(), z.union([z.string(), z.number(), z.null()])).nullable(),
})

/** How clients send a cursor back: whole, or only what they know. */
export const forms = ['whole', 'nulls dropped', 'nulls as text', 'value and id'] as const
export type Form = (typeof forms)[number]

function sentBack(
  next: Readonly<Record<string, string | number | null>>,
  form: Form,
): Record<string, string> {
  const entries = Object.entries(next).filter(([name, sent]) => {
    if (form === 'value and id') return name === 'value' || name === 'id'
    return sent !== null || form !== 'nulls dropped'
  })
  return Object.fromEntries(
    entries.map(([name, sent]) => [name, sent === null && form === 'whole' ? '' : `${sent}`]),
  )
}

export interface Walk {
  readonly sizes: readonly number[]
  readonly form: Form
  readonly types?: readonly Standard[]
  /** Called between pages. */
  readonly between?: (page: number) => Promise<void>
  /** What a client makes of each cursor. */
  readonly changed?: (cursor: Record<string, string>) => Record<string, string>
}

const pagesMax = 60
const cursorCharactersMax = 1_000

export async function walked(world: RatedWorld, walk: Walk) {
  const { sizes, form, types = [], between, changed = (one) => one } = walk
  const items: number[] = []
  let changes = 0
  let cursor: Record<string, string> = {}
  for (let pages = 0; pages < pagesMax; pages++) {
    const size = sizes[pages % sizes.length] ?? 1
    const filter: Record<string, string> = types.length === 0 ? {} : { type: types.join() }
    const { shown, next, isChanged } = await world.page({
      ...cursor,
      ...filter,
      items_count: `${size}`,
    })
    items.push(...shown)
    if (isChanged) changes += 1
    if (next === null) return { items, changes }
    expect(shown.length).toBe(size)
    const sent = new URLSearchParams(sentBack(next, 'nulls as text')).toString()
    expect(sent.length).toBeLessThanOrEqual(cursorCharactersMax)
    cursor = changed(sentBack(next, form))
    await between?.(pages)
  }
  throw new Error(`no end within ${pagesMax} pages`)
}

/** Addresses of tokens by their number. */
export const tokensFrom =
  (first: number) =>
  (n: number): Address =>
    anAddress(first + n)

export const typesAt = (indexes: readonly number[]): readonly Standard[] =>
  indexes.flatMap((at) => standards[at] ?? [])
