import { expect, test } from 'vitest'
import { subjectIn } from './subjects.ts'

const address = `0x${'aB'.repeat(20)}`
const transaction = `0x${'12'.repeat(32)}`

test.each([
  [address, address.toLowerCase()],
  [transaction, transaction],
  [`http://127.0.0.1:4000/api/v2/addresses/${address}/tokens`, address.toLowerCase()],
  [`http://127.0.0.1:4000/api/v2/transactions/${transaction}/summary`, transaction],
])('%s names a subject', (text, subject) => {
  expect(subjectIn(text)).toBe(subject)
})

test.each([
  '',
  '0x',
  address.slice(0, -1),
  `${address}0`,
  `${transaction}0`,
  `a${address}`,
  'name.eth',
])('%s names none', (text) => {
  expect(subjectIn(text)).toBeNull()
})
