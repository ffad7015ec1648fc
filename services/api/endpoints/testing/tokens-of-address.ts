import { aBalance, anAddress, aToken } from '../../../../libs/presenters/testing/rows.ts'
import { ofPeople } from '../../testing/targets.ts'
import { spellings } from './spellings.ts'
import type { Story } from './story.ts'

const { all, amount, and, anything, integer, kinds, nothing, place, size, type } = spellings

export const story = {
  forms: [{ items_count: '4' }, { type: 'ERC-20' }, { type: 'ERC-721,ERC-1155', items_count: '4' }],
  requests: and(
    type(kinds),
    size,
    place(
      { value: amount('value'), id: integer('id', 0, 12) },
      all(
        // Any other one is a place of its own.
        nothing('fiat_value'),
        anything('token_name', ['Gold', 'x'.repeat(900), '😀']),
        anything('token_type', ['ERC-20', 'erc-721', 'ERC-7984']),
      ),
    ),
  ),
  pages: {
    subject: anAddress(0xa1),
    filters: ['', 'type=ERC-20,ERC-1155', 'type=erc-1155, ERC-20'],
    rows: ({ amount: value, ordinal, name }) => ({
      balancesOfAddress: async () => Array(2).fill(aBalance({ value, ordinal })),
      tokenStates: async (tokens) =>
        new Map(tokens.map((address) => [address, aToken({ token: address, name })])),
    }),
    place: ({ amount: value, ordinal }) => ({ value, ordinal }),
  },
  queries: [
    'value=9&id=12&fiat_value=null&items_count=50&token_name=Gold&token_type=ERC-20',
    'value=9&id=12',
    'value=9',
    'type=ERC-20,ERC-721',
    `value=${2n ** 256n - 1n}&id=99999999`,
  ],
  checked: [
    ...ofPeople('tokens', 'balances_by_value'),
    ...ofPeople('tokens?items_count=1', 'balances_by_value'),
  ],
} satisfies Story
