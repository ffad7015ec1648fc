import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { logsOfAddressRoute } from '../../services/api/endpoints/logs-of-address.ts'
import { summaryOfTransactionRoute } from '../../services/api/endpoints/summary-of-transaction.ts'
import { tokensOfAddressRoute } from '../../services/api/endpoints/tokens-of-address.ts'
import { transactionsOfAddressRoute } from '../../services/api/endpoints/transactions-of-address.ts'
import {
  amount,
  amountShape,
  type Declared,
  decoded,
  queryValues,
  readQuery,
} from './parameters.ts'

const read = (parameters: Declared, query: string) => readQuery(parameters, queryValues(query))
const parameters = (query: string) => {
  const result = readQuery(transactionsOfAddressRoute.parameters, queryValues(query))
  if ('faults' in result) throw new Error(JSON.stringify(result.faults))
  return result.parameters
}
const details = (parameters: Declared, query: string) => {
  const result = read(parameters, query)
  if (!('faults' in result)) throw new Error('expected faults')
  return result.faults.map((at) => [at.source.pointer, at.detail])
}

test('reads nothing as nothing', () => {
  expect(Object.values(parameters(''))).toEqual(Array(10).fill(null))
})

// Decisions 2 and 29.
test.each(['value=null', 'value=', 'value', 'x=1'])('reads %s as a null cursor value', (query) => {
  expect(parameters(query).value).toBeNull()
})

// Decisions 2, 20 and 29.
const last = (1n << 256n) - 1n

test('reads amounts of any size below 2^256 exactly and refuses the next', () => {
  expect(parameters(`value=${last}`).value).toBe(last)
  expect(details(transactionsOfAddressRoute.parameters, `value=${last + 1n}`)).toHaveLength(1)
  expect(details(transactionsOfAddressRoute.parameters, `value=${'9'.repeat(4000)}`)).toHaveLength(
    1,
  )
})

test('prints a pattern of amounts that accepts the same', () => {
  const printed = (text: string) => amountShape.safeParse(text).success
  const read = (text: string) => amount.safeParse(text).success
  for (const text of ['0', '00', `${last}`, `${last - 1n}`, `${last / 2n}`, `${10n ** 77n}`]) {
    expect([text, printed(text), read(text)]).toEqual([text, true, true])
  }
  for (const text of [`${last + 1n}`, `${12n * 10n ** 76n}`, '9'.repeat(78), '-1', '1.0', ' 1']) {
    expect([text, printed(text), read(text)]).toEqual([text, false, false])
  }
})

test.each(['-1', '+1', '1e3', '1.0', '0x1', ' 1', '1%00', '%zz', 'abc', '9223372036854775808'])(
  'refuses block_number=%s',
  (text) => {
    const [at] = details(transactionsOfAddressRoute.parameters, `block_number=${text}`)
    expect(at?.[0]).toBe('/block_number')
  },
)

test('cuts integers that no row reaches', () => {
  const values = parameters('block_number=9223372036854775807&index=9223372036854775807')
  expect(values.block_number).toBe(Number.MAX_SAFE_INTEGER)
  expect(values.index).toBe(0xffff_ffff)
})

// Decisions 3 and 29.
test.each([
  ['50', 50],
  ['1', 1],
  ['100', 100],
  ['101', 100],
  ['0050', 50],
  ['9'.repeat(100), 100],
  ['null', null],
  ['', null],
])('reads items_count=%s as %s', (text, size) => {
  expect(parameters(`items_count=${text}`).items_count).toBe(size)
})

test('names the number that is too large, its leading zeros aside', () => {
  const of = (query: string) => details(transactionsOfAddressRoute.parameters, query)
  expect(of('block_number=099999999999999999999')).toEqual([
    ['/block_number', '99999999999999999999 is larger than inclusive maximum 9223372036854775807'],
  ])
  const [amount] = of(`value=${'9'.repeat(79)}`)
  expect(amount?.[1]).toContain(`${'9'.repeat(79)} is larger than inclusive maximum 1157`)
  expect(parameters(`value=${'0'.repeat(200)}7`).value).toBe(7n)
})

test('says how an items_count is at fault', () => {
  const of = transactionsOfAddressRoute.parameters
  expect(details(of, 'items_count=0')).toEqual([
    ['/items_count', '0 is smaller than inclusive minimum 1'],
  ])
  expect(details(of, 'items_count=-1')).toEqual([
    ['/items_count', '-1 is smaller than inclusive minimum 1'],
  ])
  expect(details(of, 'items_count=x')).toEqual([['/items_count', 'Invalid integer. Got: string']])
})

test('names each parameter at fault', () => {
  expect(details(transactionsOfAddressRoute.parameters, 'sort=x&order=y&filter=TO')).toEqual([
    ['/filter', 'Invalid value for enum. Expected one of: to, from'],
    ['/sort', 'Invalid value for enum. Expected one of: block_number, value, fee'],
    ['/order', 'Invalid value for enum. Expected one of: asc, desc'],
  ])
})

// Decision 5.
test('lets the last of two values count', () => {
  expect(parameters('filter=to&filter=from').filter).toBe('from')
})

// Decision 5.
test('ignores unknown parameters, however they are named', () => {
  expect(parameters('__proto__=1&%zz=2&constructor=3&apikey=k').filter).toBeNull()
})

test.each([
  ['ERC-20', ['ERC-20']],
  ['erc-1155, ERC-20', ['ERC-20', 'ERC-1155']],
  ['[ERC-721,ERC-404]', ['ERC-721', 'ERC-404']],
  ['ERC-7984', []],
  ['', null],
])('reads type=%s', (text, expected) => {
  const values = read(tokensOfAddressRoute.parameters, `type=${encodeURIComponent(text)}`)
  expect(values).toMatchObject({ parameters: { type: expected } })
})

const allOfThem = 'ERC-20, ERC-721, ERC-1155, ERC-404, ERC-7984'

test.each(['ERC-21', 'ERC-20,,ERC-721', 'null', 'ERC-20%00'])('refuses type=%s', (text) => {
  expect(details(tokensOfAddressRoute.parameters, `type=${text}`)).toEqual([
    ['/type', `Invalid value for enum. Expected a comma list of: ${allOfThem}`],
  ])
})

test('names the values that a parameter of a few words takes', () => {
  const ofTokens = details(tokensOfAddressRoute.parameters, 'token_type=ERC-21')
  expect(ofTokens).toEqual([
    ['/token_type', `Invalid value for enum. Expected one of: ${allOfThem}`],
  ])
  const ofSummary = details(summaryOfTransactionRoute.parameters, 'just_request_body=1')
  expect(ofSummary).toEqual([
    ['/just_request_body', 'Invalid boolean. Got: string. Expected one of: true, false'],
  ])
})

test('takes a moment with a T or a blank', () => {
  expect(parameters('inserted_at=2026-01-02T03:04:05.000000Z').inserted_at).not.toBeNull()
  expect(parameters('inserted_at=2026-01-02+03:04:05').inserted_at).not.toBeNull()
  const faults = details(transactionsOfAddressRoute.parameters, 'inserted_at=2026-13-02T03:04:05Z')
  expect(faults).toHaveLength(1)
})

test('takes a topic of 32 bytes in any letter case and ignores an empty one', () => {
  const topic = `0x${'Ab'.repeat(32)}`
  expect(read(logsOfAddressRoute.parameters, `topic=${topic}`)).toMatchObject({
    parameters: { topic: topic.toLowerCase() },
  })
  expect(read(logsOfAddressRoute.parameters, 'topic=null')).toMatchObject({
    parameters: { topic: null },
  })
  expect(details(logsOfAddressRoute.parameters, 'topic=0x12')).toHaveLength(1)
})

test('decodes what `decodeURIComponent` decodes, and leaves all else as it was sent', () => {
  const byReference = (text: string) => {
    try {
      return decodeURIComponent(text)
    } catch {
      return text
    }
  }
  const pieces = ['%', 'a', '0', 'f', 'F', '%c3', '%A9', '%e2%82', '%ac', '%f0%9f', '%98%80', '%00']
  const more = ['%ff', '%c0%80', '%ed%a0%80', '%f4%90%80%80', '+', '\u00e9', '\ud83d']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces, ...more), { maxLength: 9 }), (parts) => {
      const text = parts.join('')
      expect(decoded(text)).toBe(byReference(text))
    }),
    { numRuns: 5_000 },
  )
})

test('no part of a query makes an exception, which would take longer than all else', () => {
  const throwing = vi.spyOn(globalThis, 'decodeURIComponent')
  const values = queryValues('%=%&%ff=%c3&%e2%82=%zz')
  expect([...values]).toEqual([
    ['%', '%'],
    ['%ff', '%c3'],
    ['%e2%82', '%zz'],
  ])
  expect(throwing).not.toHaveBeenCalled()
  throwing.mockRestore()
})
