import type { z } from 'zod'
import { standards } from '../../chain/token.ts'
import type { ListedBalance } from '../balance.ts'
import type { tokensOfAddress } from '../endpoints.ts'
import { type Fraction, fractionOf, fractionText } from '../fiat.ts'
import { type Lookups, standardAt } from '../lookups.ts'
import { pageSizeOf } from '../parameters/forms.ts'
import { tokenAt } from '../token.ts'

type QueryParameters = z.output<typeof tokensOfAddress.parameters>

/**
 * `id` = (2 * mark + isRated) * 2^33 + ordinal. The mark is the hour of the walk's rates, 0 while
 * no token has a rate; `isRated` is whether the balance has a fiat value, as clients may omit
 * `fiat_value`. All of it is below 2^53.
 */
const ordinalsEnd = 1n << 33n
const marksEnd = 1n << 19n
/** Hours repeat after 59 years: the current hour resolves the mark. */
const hoursEnd = Number(marksEnd) - 1

/** Hours by which another process may be ahead of this one. */
const aheadMax = 2

export const markOf = (hour: number): number => (hour === 0 ? 0 : 1 + (hour % hoursEnd))

/** The hour that a mark means: of those with that mark the last one that may have begun. */
export function hourOf(mark: number, current: number): number {
  const latest = current + aheadMax
  const back = (((latest - (mark - 1)) % hoursEnd) + hoursEnd) % hoursEnd
  return latest - back
}

export interface BalancePlace {
  readonly value: bigint
  readonly ordinal: number
  /** Of the hour whose rates order the list; 0: it is ordered by value alone. */
  readonly mark: number
  readonly isRated: boolean
  /** As `fractionText` writes it; null where the balance has none, or a client left it out. */
  readonly fiat: string | null
}

export const pageRequest = (parameters: QueryParameters) => ({
  standards: parameters.type ?? standards,
  after: placeOf(parameters),
  size: pageSizeOf(parameters),
})

/** @returns null for the first page: no cursor, or an incomplete one. */
function placeOf({ value, id, fiat_value: fiat }: QueryParameters): BalancePlace | null {
  if (value === null || id === null) return null
  const ordinal = Number(id % ordinalsEnd)
  const above = id / ordinalsEnd
  const mark = Number((above / 2n) % marksEnd)
  const isRated = mark > 0 && above % 2n === 1n
  const sent = isRated && fiat !== null ? fractionOf(fiat) : null
  return { value, ordinal, mark, isRated, fiat: sent && fractionText(sent) }
}

/** Of a cursor, whatever names and amounts the chain holds. */
const nameCodePointsMax = 64
const cursorCharactersMax = 1_000

/**
 * A contract chooses its name, and each code point takes up to 12 characters of a query: whole
 * names would make next pages that are refused (414). Half surrogates cannot be sent at all.
 */
function cursorName(name: string, charactersLeft: number): string {
  const points = [...name].slice(0, nameCodePointsMax)
  const cut = (count: number) => Buffer.from(points.slice(0, count).join('')).toString()
  let count = points.length
  while (count > 0 && new URLSearchParams([['', cut(count)]]).toString().length > charactersLeft) {
    count -= 1
  }
  return cut(count)
}

export function cursorAfter(
  last: ListedBalance,
  { size, hour }: { readonly size: number; readonly hour: number },
  lookups: Lookups,
) {
  const { name, type } = tokenAt(last.token, standardAt(last.standard), lookups)
  const above = 2n * BigInt(markOf(hour)) + (last.fiat === null ? 0n : 1n)
  const cursor = {
    fiat_value: last.fiat && fractionText(last.fiat),
    id: Number(above * ordinalsEnd + BigInt(last.ordinal)),
    items_count: size,
    value: last.value.toString(),
    token_name: name === null ? null : '',
    token_type: type,
  }
  const texts = Object.entries(cursor).map(([key, value]): [string, string] => [key, `${value}`])
  const charactersLeft = cursorCharactersMax - new URLSearchParams(texts).toString().length
  return { ...cursor, token_name: name === null ? null : cursorName(name, charactersLeft) }
}

export const fiatAt = ({ fiat }: BalancePlace): Fraction | null =>
  fiat === null ? null : fractionOf(fiat)
