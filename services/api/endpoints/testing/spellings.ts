import fc from 'fast-check'
import { aHash, anAddress } from '../../../../libs/presenters/testing/rows.ts'

/** `name=value`, or several of which the last counts. */
export type Pairs = readonly (readonly [name: string, value: string])[]
export type Spelling = fc.Arbitrary<Pairs>

const uint256Last = (1n << 256n) - 1n

const absent: Spelling = fc.constant([])
const one = (name: string, value: string): Spelling => fc.constant([[name, value]])
/** Absent, empty, or the text that clients write for null. */
const nothing = (name: string): Spelling =>
  fc.constantFrom<Pairs>([], [[name, '']], [[name, 'null']])
/** What does not count, whatever it says. */
const anything = (name: string, values: readonly string[]): Spelling =>
  fc.oneof(
    nothing(name),
    fc.constantFrom(...values).map((value): Pairs => [[name, value]]),
  )
const digits = (name: string, value: bigint | number): Spelling =>
  fc.nat(3).map((zeros): Pairs => [[name, `${'0'.repeat(zeros)}${value}`]])
const hex = (name: string, value: string): Spelling =>
  fc.constantFrom(value, `0x${value.slice(2).toUpperCase()}`).map((text): Pairs => [[name, text]])
const all = (...spellings: readonly Spelling[]): Spelling =>
  fc
    .tuple(...spellings)
    .chain((parts) =>
      fc
        .shuffledSubarray([...parts], { minLength: parts.length })
        .map((shuffled) => shuffled.flat()),
    )

const amounts = ['7', '0', String(uint256Last)]
const hashes = [aHash(1), aHash(2)]
const moments = ['2026-01-01T00:00:00Z', '2026-01-01 00:00:00']

/** What is meant, and the ways to say it. */
export interface Meant {
  readonly meaning: object
  readonly spelling: Spelling
}

const and = (...parts: readonly fc.Arbitrary<Meant>[]): fc.Arbitrary<Meant> =>
  fc.tuple(...parts).map((meant) => ({
    meaning: meant.map(({ meaning }) => meaning),
    spelling: all(...meant.map(({ spelling }) => spelling)),
  }))

const size = fc.constantFrom(1, 7, 50, 99, 100).map((value): Meant => {
  const said = digits('items_count', value)
  if (value === 50) return { meaning: { value }, spelling: fc.oneof(nothing('items_count'), said) }
  const beyond = digits('items_count', 12_345)
  return { meaning: { value }, spelling: value === 100 ? fc.oneof(said, beyond) : said }
})
/** Its cursors give it back where it was sent: two bodies. */
const sizeGivenBack = fc.oneof(
  fc.constant<Meant>({ meaning: {}, spelling: nothing('items_count') }),
  fc.constantFrom(1, 50).map((value): Meant => {
    return { meaning: { value }, spelling: digits('items_count', value) }
  }),
)

const kinds = ['ERC-20', 'ERC-721', 'ERC-1155', 'ERC-404'] as const
/** A comma list of what is wanted, in any order and case, in brackets or not. */
const listed = (wanted: readonly string[]): Spelling =>
  fc
    .tuple(
      fc.shuffledSubarray([...wanted], { minLength: wanted.length }),
      fc.constantFrom(',', ', ', ' ,'),
      fc.constantFrom('', 'ERC-7984'),
      fc.boolean(),
      fc.boolean(),
    )
    .map(([words, comma, unknown, isLower, isBracketed]): Pairs => {
      const text = [...words, ...(unknown === '' ? [] : [unknown])].join(comma)
      const cased = isLower ? text.toLowerCase() : text
      return [['type', isBracketed ? `[${cased}]` : cased]]
    })
/** @param named those that the list knows: all of them are no filter. */
const type = (named: readonly string[]) =>
  fc.subarray([...named], { minLength: 1 }).map((wanted): Meant => {
    const isAll = wanted.length === named.length
    const none: Spelling = fc.constantFrom<Pairs>([], [['type', '']])
    return {
      meaning: { wanted },
      spelling: isAll ? fc.oneof(none, listed(wanted)) : listed(wanted),
    }
  })

/** A cursor of these keys, and those that are sent beside it and tell no place. */
const place = <K extends string>(
  keys: Readonly<Record<K, fc.Arbitrary<Meant>>>,
  unused: Spelling = absent,
): fc.Arbitrary<Meant> => {
  const names = Object.keys(keys)
  const whole = and(...Object.values<fc.Arbitrary<Meant>>(keys))
  const first: Meant = {
    meaning: { first: true },
    // A part of the keys is no cursor.
    spelling: fc
      .tuple(fc.constantFrom(...names), fc.record(keys))
      .chain(([missing, meant]) =>
        all(
          ...Object.entries<Meant>(meant).map(([name, { spelling }]) =>
            name === missing ? nothing(name) : fc.oneof(nothing(name), spelling),
          ),
        ),
      ),
  }
  return fc
    .oneof(fc.constant(first), whole)
    .map(({ meaning, spelling }) => ({ meaning, spelling: all(spelling, unused) }))
}

const integer = (name: string, ...values: readonly number[]) =>
  fc.constantFrom(...values).map((value): Meant => {
    return { meaning: { [name]: value }, spelling: digits(name, value) }
  })
const amount = (name: string) =>
  fc.constantFrom(...amounts).map((value): Meant => {
    return { meaning: { [name]: value }, spelling: digits(name, BigInt(value)) }
  })
const hash = (name: string, ...values: readonly string[]) =>
  fc.constantFrom(...values).map((value): Meant => {
    return { meaning: { [name]: value }, spelling: hex(name, value) }
  })
const word = (name: string, ...words: readonly string[]) =>
  fc.constantFrom(...words).map((value): Meant => {
    return { meaning: { [name]: value }, spelling: one(name, value) }
  })
const or = (name: string, meant: fc.Arbitrary<Meant>) =>
  fc.oneof(fc.constant<Meant>({ meaning: {}, spelling: nothing(name) }), meant)

const block = integer('block_number', 0, 9, 99_999_999)
const index = integer('index', 0, 3)
const blockPlace = { block_number: block, index }

const order = fc
  .constantFrom(
    ...['block_number', 'value', 'fee'].flatMap((sort) => [`${sort} asc`, `${sort} desc`]),
  )
  .chain((text): fc.Arbitrary<Meant> => {
    const [sort = '', direction = ''] = text.split(' ')
    const said = all(one('sort', sort), one('order', direction))
    const usual = fc.oneof(
      ...[absent, one('sort', ''), one('sort', 'value'), one('order', 'asc'), said],
    )
    const spelling = text === 'block_number desc' ? usual : said
    const besides = all(anything('inserted_at', moments), anything('hash', hashes))
    const sums = ['value', 'fee'] as const
    const sortedBy = sums.find((name) => name === sort)
    const others = sums.filter((name) => name !== sort)
    const unused = all(besides, ...others.map((name) => anything(name, amounts)))
    const keys = sortedBy === undefined ? {} : { [sortedBy]: amount(sortedBy) }
    return and(
      fc.constant({ meaning: { text }, spelling }),
      place({ ...blockPlace, ...keys }, unused),
    )
  })

const batchKeys = {
  batch_log_index: integer('batch_log_index', 0, 5),
  index_in_batch: integer('index_in_batch', 0, 1),
}
const blockHash = or('batch_block_hash', hash('batch_block_hash', ...hashes))
const noBatch = all(
  anything('batch_block_hash', hashes),
  anything('batch_transaction_hash', hashes),
  fc.oneof(
    all(nothing('batch_log_index'), anything('index_in_batch', ['0', '1'])),
    all(anything('batch_log_index', ['0', '1']), nothing('index_in_batch')),
  ),
)

const subjects = {
  address: [anAddress(0xa1), anAddress(0xab)],
  transaction: [aHash(0x7a), aHash(0xab)],
}

/** Parts of requests: each with what it means and the ways to spell it. */
export const spellings = {
  absent,
  one,
  nothing,
  anything,
  all,
  and,
  size,
  sizeGivenBack,
  kinds,
  type,
  place,
  integer,
  amount,
  hash,
  word,
  or,
  block,
  index,
  blockPlace,
  order,
  batchKeys,
  blockHash,
  noBatch,
  subjects,
}
