import { expect, test } from 'vitest'
import { address, hash } from '../../libs/chain/hex.ts'
import { accounts } from '../../libs/projections/entities/account.ts'
import { chains } from '../../libs/projections/entities/chain.ts'
import { holdings } from '../../libs/projections/entities/holding.ts'
import { instances } from '../../libs/projections/entities/instance.ts'
import { pairs } from '../../libs/projections/entities/pair.ts'
import { tokens } from '../../libs/projections/entities/token.ts'
import { stateFormat } from './checkpoint.ts'

const someone = address(`0x${'ab'.repeat(20)}`)
const token = { ordinal: 3, standard: 'ERC-404', name: 'N', symbol: null, decimals: 18 } as const
const supply = { describedAt: 4, supply: 300n, supplyAt: 5, holders: 6, isComplete: true }
const pair = { value: 300n, isKnown: true, owned: 2, asOf: 4, standard: 'ERC-20', ordinal: 3 }
const sums = { held: 300n, holdersXor: 5n, unknowns: 2, isComplete: false }

test('a stored form is changed together with the number of the format', () => {
  const forms = [
    chains.encode({ firstBlock: 1, gapEnd: null, observedBefore: 7, ordinals: 300 }),
    tokens.encode({ ...token, ...supply }),
    pairs.encode({ ...pair, standard: 'ERC-20' }),
    instances.encode({ ordinal: 3, standard: 'ERC-721', owner: someone, ownerAt: 4, ...sums }),
    holdings.encode({ count: 300 }),
    accounts.encode({
      hasCode: true,
      creationTransaction: hash(`0x${'cd'.repeat(32)}`),
      createdAt: 4,
      delegate: someone,
      authorizedTo: 9,
    }),
  ].map((form) => form.toString('hex'))
  expect({ stateFormat, forms }).toEqual({
    stateFormat: 2,
    forms: [
      '020008ac02',
      '7c0306050602012c12014e',
      '0903050202012c',
      '0a0305abababababababababababababababababababab0202012c0105',
      'ac02',
      '070509cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdabababababababababababababababababababab',
    ],
  })
})
