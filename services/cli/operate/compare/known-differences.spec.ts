import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { knownDifferences, knownOf } from './known-differences.ts'

const contract = readFileSync(
  new URL('../../../../libs/presenters/CONTRACT.md', import.meta.url),
  'utf8',
)

const decisionOf = (field: string, here: unknown, there: unknown) =>
  knownOf({ field, item: null, here, there })?.decision ?? null

test.each(knownDifferences)('$why: decision $decision of the contract', ({ decision }) => {
  expect(contract).toMatch(new RegExp(`^\\| ${decision} \\|`, 'm'))
})

test.each([
  { field: 'items[].gas_limit', here: 21_000, there: '21000', decision: 7 },
  { field: 'items[].token.holders_count', here: 5, there: '6', decision: 26 },
  { field: 'items[].from.name', here: null, there: 'Vault', decision: 11 },
  { field: 'items[].from.is_verified', here: false, there: true, decision: 11 },
  { field: 'items[].address_hash.hash', here: '0x1', there: undefined, decision: 10 },
  { field: 'items[].total.value', here: '1', there: undefined, decision: 14 },
  { field: 'items[].actions[].type', here: 'swap', there: undefined, decision: 13 },
  { field: 'items[].decoded_input', here: null, there: { method_id: '0x' }, decision: 66 },
  { field: 'exchange_rate', here: null, there: '1.5', decision: 39 },
  { field: 'total_supply', here: null, there: '9', decision: 55 },
  { field: 'items[].authorization_list[].status', here: null, there: 'ok', decision: 68 },
])('$field: $here here, $there there is known', ({ field, here, there, decision }) => {
  expect(decisionOf(field, here, there)).toBe(decision)
})

test.each([
  ['items[].gas_limit', 21_000, '21001'],
  ['items[].value', '1', '2'],
  ['items[].value', null, '2'],
  ['items[].total.value', '1', '2'],
  ['items[].token.name', null, 'Coin'],
  ['items[].from.hash', '0x1', '0x2'],
  ['items[].from.name', 'Vault', 'Safe'],
  ['items[].from.name', 'Vault', null],
  ['items[].from.is_contract', false, true],
  ['holders_count', '5', '6'],
  ['total_supply', '5', null],
  ['data.summaries[].summary_template', 'a', 'b'],
  ['items[].something_else', undefined, 1],
  ['items[]', undefined, {}],
])('%s: %o here, %o there is reported', (field, here, there) => {
  expect(decisionOf(field, here, there)).toBeNull()
})
