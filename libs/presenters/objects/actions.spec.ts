import { expect, test } from 'vitest'
import { lookupsOf } from '../testing/lookups.ts'
import { anAddress, aToken, aTransaction } from '../testing/rows.ts'
import { actionObjects, actionTokens } from './actions.ts'
import { transactionObject } from './transaction.ts'

const [gold, silver] = [anAddress(0xdead), anAddress(2)]
const goldShown = '0x000000000000000000000000000000000000dEaD'
const silverShown = '0x0000000000000000000000000000000000000002'
const lookups = lookupsOf({ tokens: [aToken({ token: gold, decimals: 6, symbol: 'AU' })] })

const sums = [
  { token: gold, amount: '1500000' },
  { token: silver, amount: `${2n ** 256n - 1n}` },
]
const row = (protocol: string, type: string, count = 2) => ({
  blockNumber: 100,
  actions: JSON.stringify([{ protocol, type, sums: sums.slice(0, count) }]),
})

// Decision 13.
test('shows a sum of lending in whole tokens', () => {
  expect(actionObjects(row('aave_v3', 'supply', 1), lookups)).toEqual([
    {
      protocol: 'aave_v3',
      type: 'supply',
      data: { amount: '1.5', symbol: 'AU', address: goldShown, block_number: 100 },
    },
  ])
})

test('shows the debt and the collateral of a liquidation', () => {
  expect(actionObjects(row('aave_v2', 'liquidation_call'), lookups)).toEqual([
    {
      protocol: 'aave_v2',
      type: 'liquidation_call',
      data: {
        debt_amount: '1.5',
        debt_symbol: 'AU',
        debt_address: goldShown,
        collateral_amount: null,
        collateral_symbol: null,
        collateral_address: silverShown,
        block_number: 100,
      },
    },
  ])
})

test.each(['mint', 'burn', 'collect', 'swap'])('shows both sums of a %s', (type) => {
  expect(actionObjects(row('uniswap_v3', type), lookups)).toEqual([
    {
      protocol: 'uniswap_v3',
      type,
      data: {
        amount0: '1.5',
        symbol0: 'AU',
        address0: goldShown,
        amount1: null,
        symbol1: null,
        address1: silverShown,
        block_number: 100,
      },
    },
  ])
})

test('shows no amount without decimals, whatever the symbol (decision 67)', () => {
  const nameless = lookupsOf({ tokens: [aToken({ token: gold, decimals: null, symbol: 'AU' })] })
  expect(actionObjects(row('aave_v3', 'supply', 1), nameless)).toMatchObject([
    { data: { amount: null, symbol: null, address: goldShown } },
  ])
  const whole = lookupsOf({ tokens: [aToken({ token: gold, decimals: 0, symbol: null })] })
  expect(actionObjects(row('aave_v3', 'supply', 1), whole)).toMatchObject([
    { data: { amount: '1500000', symbol: null } },
  ])
})

test('lets corrections of a token overrule what it says', () => {
  const corrected = lookupsOf({
    tokens: [aToken({ token: gold })],
    tokenFacts: { symbol: 'XAU', decimals: 3 },
  })
  expect(actionObjects(row('aave_v3', 'repay', 1), corrected)).toMatchObject([
    { data: { amount: '1500', symbol: 'XAU' } },
  ])
})

test('names the tokens to look up', () => {
  expect(actionTokens([row('aave_v2', 'liquidation_call')])).toEqual([gold, silver])
  expect(actionTokens([{ actions: '[]' }])).toEqual([])
  expect(actionTokens([{ actions: '' }])).toEqual([])
})

test('stands in the body of its transaction', () => {
  const { actions } = row('aave_v3', 'borrow', 1)
  const body = transactionObject(aTransaction({ actions }), [], lookups)
  expect(body.actions).toEqual(actionObjects({ blockNumber: 100, actions }, lookups))
  expect(body.actions).toHaveLength(1)
  expect(transactionObject(aTransaction(), [], lookups).actions).toEqual([])
})
