import type { z } from 'zod'
import { type Fault, fault } from '../errors.ts'

/** Query strings above this many characters are refused unread (414). */
export const queryCharactersMax = 5_000

/** The declared parameters of an endpoint. */
export type Declared = z.ZodObject

type ParsedQuery<D extends Declared> = { parameters: z.output<D> } | { faults: readonly Fault[] }

/** Text that cannot be decoded stays as it was sent: no parameter accepts a bare percent sign. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const decodedPart = (text: string): string => decoded(text.replaceAll('+', ' '))

/** The values of a query by name; of a name that comes twice the last counts. */
export function queryValues(query: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const cut = pair.indexOf('=')
    const name = cut < 0 ? pair : pair.slice(0, cut)
    values.set(decodedPart(name), cut < 0 ? '' : decodedPart(pair.slice(cut + 1)))
  }
  return values
}

/** Reads what is declared and ignores the rest. @returns the values, or each fault by name. */
export function readQuery<D extends Declared>(
  declared: D,
  values: ReadonlyMap<string, string>,
): ParsedQuery<D> {
  const names = Object.keys(declared.shape)
  const read = declared.safeParse(Object.fromEntries(names.map((name) => [name, values.get(name)])))
  if (read.success) return { parameters: read.data }
  return { faults: read.error.issues.map((at) => fault(String(at.path[0]), at.message)) }
}
