import { anAddress, anNft } from '../../../../libs/presenters/testing/rows.ts'
import { linked } from '../../testing/linked-rows.ts'
import { ofPeople } from '../../testing/targets.ts'
import { spellings } from './spellings.ts'
import type { Story } from './story.ts'

const { amount, and, hash, place, size, subjects, type, word } = spellings

const token = anAddress(0x71)

export const story = {
  forms: [{ items_count: '4' }, { type: 'ERC-20' }, { type: 'ERC-721,ERC-1155', items_count: '4' }],
  requests: and(
    type(['ERC-721', 'ERC-1155', 'ERC-404']),
    size,
    place({
      token_contract_address_hash: hash('token_contract_address_hash', ...subjects.address),
      token_id: amount('token_id'),
      token_type: word('token_type', 'ERC-721', 'ERC-404'),
    }),
  ),
  pages: {
    subject: anAddress(0xa1),
    filters: ['', 'type=ERC-721,ERC-404', 'type=ERC-20', 'type=[ERC-404]'],
    rows: ({ amount: tokenId }) => ({
      nftsOfAddress: async () => Array(2).fill(anNft({ tokenId, token })),
    }),
    place: ({ amount: tokenId }) => ({ standard: 'ERC-721', token, tokenId }),
  },
  queries: [
    `token_contract_address_hash=${linked.token}&token_id=7&token_type=ERC-1155&items_count=50`,
    `token_contract_address_hash=${linked.token}`,
    `token_contract_address_hash=${anAddress(1)}&token_id=${2n ** 256n - 1n}&token_type=ERC-721`,
    'type=ERC-721',
  ],
  checked: ofPeople('nft', 'nfts_by_owner'),
} satisfies Story
