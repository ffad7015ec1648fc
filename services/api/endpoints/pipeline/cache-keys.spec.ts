import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Meant, type Pairs, type Spelling, spellings } from '../testing/spellings.ts'
import { stories } from '../testing/stories.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

const { all, subjects } = spellings

/** What no endpoint knows, and what a later pair of the same name makes void. */
const noise: Spelling = fc.constantFrom<Pairs>([], [['apikey', 'x']], [['_', '1']], [['', '']])

/** A query in some encoding. */
const written = (spelling: Spelling): fc.Arbitrary<string> =>
  fc.tuple(all(spelling, noise), fc.boolean()).map(([pairs, isEscaped]) => {
    const twice = pairs.slice(0, 1).map(([name]): readonly [string, string] => [name, 'void'])
    return [...twice, ...pairs]
      .map(([name, value]) => `${name}=${isEscaped ? escaped(value) : encodeURIComponent(value)}`)
      .join('&')
  })

const escaped = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

const mixedCase = (subject: string): fc.Arbitrary<string> =>
  fc.constantFrom(subject, `0x${subject.slice(2).toUpperCase()}`)

const cases = stories.map(({ route: { path, parse }, requests }) => {
  const of = path.includes('{transaction_hash}') ? subjects.transaction : subjects.address
  const keyOf = (subject: string, query: string): string => {
    const request = parse(subject, query)
    if ('faults' in request) throw new Error(`${query}: ${JSON.stringify(request.faults)}`)
    return request.key
  }
  const asked = fc.tuple(fc.constantFrom(...of), requests)
  return { path, keyOf, asked }
})

test.each(cases)(
  `gives equal requests of $path one key, however they are spelled (seed ${seed})`,
  (of) => {
    const spelled = of.asked.chain(([subject, { spelling }]) =>
      fc.tuple(mixedCase(subject), mixedCase(subject), written(spelling), written(spelling)),
    )
    const alike = fc.property(spelled, ([subject, again, query, otherQuery]) => {
      expect(of.keyOf(again, otherQuery)).toBe(of.keyOf(subject, query))
    })
    fc.assert(alike, { seed, numRuns: 60 })
  },
)

test.each(cases)(`gives different requests of $path different keys (seed ${seed})`, (of) => {
  const pair = fc
    .tuple(of.asked, of.asked)
    .filter(([one, other]) => !isDeepStrictEqual(meaningOf(one), meaningOf(other)))
    .chain(([[subject, meant], [otherSubject, otherMeant]]) =>
      fc.tuple(
        fc.constant([subject, otherSubject] as const),
        written(meant.spelling),
        written(otherMeant.spelling),
      ),
    )
  const apart = fc.property(pair, ([[subject, otherSubject], query, otherQuery]) => {
    expect(of.keyOf(otherSubject, otherQuery)).not.toBe(of.keyOf(subject, query))
  })
  fc.assert(apart, { seed, numRuns: 60 })
})

const meaningOf = ([subject, { meaning }]: readonly [string, Meant]) => ({ subject, meaning })
