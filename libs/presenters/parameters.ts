import decodeUriComponent from 'fast-decode-uri-component'
import { z } from 'zod'
import { type Address, address, type Hash, hash } from '../chain/hex.ts'
import { type Standard, standards } from '../chain/token.ts'
import { type Fault, fault } from './errors.ts'
import { named } from './schemas.ts'

/** A text that is not a value of its form; `detail` is returned to the client. */
class Refused {
  readonly detail: string
  constructor(detail: string) {
    this.detail = detail
  }
}

/** A JSON schema of the accepted texts, printed in the OpenAPI document. */
interface Printed {
  readonly [key: string]: unknown
  /** Of the form; a parameter adds what it is by `describe`. */
  readonly description: string
}

/** Further texts that are accepted, and count as absent. */
export type Nulls = 'null and empty' | 'empty'

/** A query parameter that may be absent: its null forms, its reading, its printed schema. */
function form<T>(printed: Printed, nulls: Nulls, read: (text: string) => T | Refused) {
  return z
    .string()
    .optional()
    .transform((text, context): T | null => {
      if (text === undefined || text === '') return null
      if (text === 'null' && nulls === 'null and empty') return null
      const value = read(text)
      if (!(value instanceof Refused)) return value
      context.addIssue({ code: 'custom', message: value.detail })
      return z.NEVER
    })
    .meta({ printed, nulls })
}

const digits = /^[0-9]+$/
export const integerEnd = 1n << 63n
const amountEnd = 1n << 256n
/** More digits than 2^256 has: refused before they are parsed. */
const digitsMax = 78
/** Stands for 2^63-1, which is no number of JavaScript: `openApiText` prints that. */
export const printedIntegerMax = 9_223_372_036_854_775_000
const printedInteger = { type: 'integer', format: 'int64', minimum: 0, maximum: printedIntegerMax }
/**
 * Of the decimal digits of a number below `end`; zeros may lead, to as many digits as it has. The
 * alternatives stand side by side: validators in Rust refuse them within each other.
 */
function patternBelow(end: bigint): string {
  const greatest = `${end - 1n}`
  const most = greatest.length - 1
  const smaller = [...greatest].flatMap((digit, at) =>
    digit === '0' ? [] : [`${greatest.slice(0, at)}[0-${Number(digit) - 1}][0-9]{${most - at}}`],
  )
  return `^(?:[0-9]{1,${most}}|${[...smaller, greatest].join('|')})$`
}
const uint256 = 'Uint256'
export const amountShape = named(
  uint256,
  z
    .string()
    .regex(new RegExp(patternBelow(amountEnd)))
    .describe('Decimal digits of a number below 2^256.'),
)

const notInteger = new Refused('Invalid integer. Got: string')
const invalidFormat = (pattern: RegExp): Refused =>
  new Refused(`Invalid format. Expected ~r/${pattern.source}/`)
/** Begins as other servers of this API put it; the words themselves follow. */
const notInEnum = (expected: string): Refused =>
  new Refused(`Invalid value for enum. Expected ${expected}`)
const oneOfWords = (words: readonly string[]): Refused => notInEnum(`one of: ${words.join(', ')}`)

function decimal(text: string, end: bigint): bigint | Refused {
  if (!digits.test(text)) return notInteger
  const number = text.replace(/^0+(?=[0-9])/, '')
  const value = number.length <= digitsMax ? BigInt(number) : end
  return value < end ? value : new Refused(`${number} is larger than inclusive maximum ${end - 1n}`)
}

/** Cursor integer below 2^63, cut to `max`, which no row exceeds. */
function cutInteger(description: string, max: number) {
  return form({ description, ...printedInteger }, 'null and empty', (text) => {
    const value = decimal(text, integerEnd)
    if (value instanceof Refused) return value
    return value > BigInt(max) ? max : Number(value)
  })
}

export const blockNumber = cutInteger('A block number below 2^63.', Number.MAX_SAFE_INTEGER)
export const index = cutInteger('An index below 2^63.', 0xffff_ffff)

/** The internal id of a balance, with the hour of its rates above the lowest 33 bits. */
export const balanceId = form(
  { description: 'An internal id below 2^63.', ...printedInteger },
  'null and empty',
  (text) => decimal(text, integerEnd),
)

/** An amount or a token id, 0 .. 2^256-1. */
export const amount = form(
  { description: 'Decimal digits, below 2^256.', $ref: `#/components/schemas/${uint256}` },
  'null and empty',
  (text) => decimal(text, amountEnd),
)

/** Digits of the greatest amount at the greatest rate, and of the least of both. */
const fractionForm = /^[0-9]{1,140}(\.[0-9]{1,140})?$/
export const fraction = form(
  { description: 'Decimal number.', type: 'string', pattern: fractionForm.source },
  'null and empty',
  (text) => (fractionForm.test(text) ? text : invalidFormat(fractionForm)),
)

export const freeText = form(
  { description: 'Any text.', type: 'string' },
  'null and empty',
  (text) => text,
)

const addressForm = /^0x([A-Fa-f0-9]{40})$/
const hashForm = /^0x([A-Fa-f0-9]{64})$/

export const addressParameter = form<Address>(
  { description: 'An address.', type: 'string', pattern: addressForm.source },
  'null and empty',
  (text) => (addressForm.test(text) ? address(text) : invalidFormat(addressForm)),
)

export const hashParameter = form<Hash>(
  { description: 'A hash of 32 bytes.', type: 'string', pattern: hashForm.source },
  'null and empty',
  (text) => (hashForm.test(text) ? hash(text) : invalidFormat(hashForm)),
)

/** The detail of a malformed address or transaction in the path, null if it is well formed. */
export function pathFault(kind: 'address' | 'transaction', text: string): string | null {
  const pattern = kind === 'address' ? addressForm : hashForm
  return pattern.test(text) ? null : invalidFormat(pattern).detail
}

const momentForm = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})?$/
export const momentParameter = form(
  { description: 'A moment, ISO 8601.', type: 'string', format: 'date-time' },
  'null and empty',
  (text) => {
    const joined = text.replace(' ', 'T')
    const isMoment = momentForm.test(text) && !Number.isNaN(Date.parse(joined))
    return isMoment ? text : new Refused('Invalid format. Expected :"date-time"')
  },
)

/** One of a few words, as they are written. */
export function oneOf<const W extends string>(description: string, words: readonly W[]) {
  const refused = oneOfWords(words)
  return form<W>(
    { description, type: 'string', enum: words },
    'empty',
    (text) => words.find((word) => word === text) ?? refused,
  )
}

export const flag = form({ description: 'true or false.', type: 'boolean' }, 'empty', (text) =>
  text === 'true' || text === 'false'
    ? text === 'true'
    : new Refused('Invalid boolean. Got: string. Expected one of: true, false'),
)

/** Standards that clients may name; the last has no rows here. */
const namedStandards = [...standards, 'ERC-7984'] as const
type NamedStandard = (typeof namedStandards)[number]

const isStandard = (name: NamedStandard): name is Standard => name !== 'ERC-7984'
const namedStandard = (text: string): NamedStandard | undefined =>
  namedStandards.find((name) => name === text.trim().toUpperCase())

/** The standard of a cursor; one that has no rows reads as null, the place it names as unknown. */
export const standard = form<Standard | null>(
  { description: 'A token standard.', type: 'string', enum: namedStandards },
  'null and empty',
  (text) => {
    const name = namedStandard(text)
    if (name === undefined) return oneOfWords(namedStandards)
    return isStandard(name) ? name : null
  },
)

const names = namedStandards.join('|')
const standardsForm = new RegExp(`^\\[?(${names})(,(${names}))*\\]?$`)

const notStandards = notInEnum(`a comma list of: ${namedStandards.join(', ')}`)

/** A comma list of standards, letter case free, in brackets or not. */
export const standardsList = form<readonly Standard[]>(
  {
    description: `Comma list of: ${namedStandards.join(', ')}. No token here is of the last one.`,
    type: 'string',
    pattern: standardsForm.source,
  },
  'empty',
  (text) => {
    const inner = text.trim().replace(/^\[/, '').replace(/\]$/, '')
    if (text.trim() === '' || inner.trim() === '') return [...standards]
    const named = inner.split(',').map(namedStandard)
    if (!named.every((name) => name !== undefined)) return notStandards
    return standards.filter((name) => named.includes(name))
  },
)

/**
 * The filter of a list as a key of its cursors, as clients may send back only these.
 * @param all standards of the list: all of them are no filter, and no key
 */
export const typeKey = (
  chosen: readonly Standard[],
  all: readonly Standard[],
): { readonly type?: string } =>
  all.every((standard) => chosen.includes(standard)) ? {} : { type: chosen.join(',') }

const pageSizeDefault = 50
const pageSizeMax = 100

/** Items of a page, also if the request has no `items_count`. */
export const pageSizeOf = ({ items_count }: { readonly items_count: number | null }): number =>
  items_count ?? pageSizeDefault

/** Requested page size: clamped above, 1 at least. */
export const itemsCount = form(
  {
    description: `Items of a page at most; more than ${pageSizeMax} counts as ${pageSizeMax}.`,
    type: 'integer',
    minimum: 1,
    default: pageSizeDefault,
  },
  'null and empty',
  (text) => {
    if (/^-[0-9]+$/.test(text)) return new Refused(`${text} is smaller than inclusive minimum 1`)
    const size = decimal(text, amountEnd)
    if (size instanceof Refused) return digits.test(text) ? pageSizeMax : notInteger
    if (size < 1n) return new Refused(`${size} is smaller than inclusive minimum 1`)
    return size > BigInt(pageSizeMax) ? pageSizeMax : Number(size)
  },
)

/** Query strings above this many characters are refused unread (414). */
export const queryCharactersMax = 5_000

/** The declared parameters of an endpoint. */
export type Declared = z.ZodObject

type ParsedQuery<D extends Declared> = { parameters: z.output<D> } | { faults: readonly Fault[] }

/**
 * Text that cannot be decoded stays as it was sent: no parameter accepts a bare percent sign. No
 * exception: a request may have thousands of such parts, and each would capture a stack.
 */
export const decoded = (text: string): string => decodeUriComponent(text) ?? text

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
