import { aHolder, anAddress } from '../../../../libs/presenters/testing/rows.ts'
import { part } from '../../../../libs/tables/tables/balances.ts'
import { linked } from '../../testing/linked-rows.ts'
import { ofTokens, shownByRows } from '../../testing/targets.ts'
import { spellings } from './spellings.ts'
import { itemsOf, type Story, tokenStates } from './story.ts'

const { amount, and, hash, place, size, subjects } = spellings

const holder = anAddress(0xa1)

export const story = {
  forms: [{ items_count: '9' }, { items_count: '2' }],
  requests: and(
    size,
    place({ address_hash: hash('address_hash', ...subjects.address), value: amount('value') }),
  ),
  pages: {
    subject: anAddress(0x70),
    filters: [''],
    rows: ({ amount: value, fee: tokenId }) => {
      const row = aHolder({ value, tokenId, part: part.instance, holder })
      return { tokenStates, holdersOfToken: async () => Array(2).fill(row) }
    },
    place: ({ amount: value, fee: tokenId }) => ({ value, tokenId, holder }),
  },
  queries: [
    `address_hash=${linked.owner}&value=9&token_id=7&items_count=50`,
    `address_hash=${linked.owner}&value=9`,
    'value=9',
    `address_hash=${linked.owner}&value=${2n ** 256n - 1n}&token_id=null`,
  ],
  checked: shownByRows(ofTokens('/holders', 'holders')),
  flush: {
    path: `/api/v2/tokens/${linked.token}/holders`,
    group: 'state',
    tables: ['holders', 'token_state'],
    countsOf: itemsOf,
  },
} satisfies Story
