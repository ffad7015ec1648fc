import fc from 'fast-check'
import { linked } from '../../testing/linked-rows.ts'
import { ofHashes } from '../../testing/targets.ts'
import { type Pairs, spellings } from './spellings.ts'
import { countOf, type Story } from './story.ts'

export const story = {
  forms: [{}, { just_request_body: 'true' }],
  requests: fc.constantFrom(true, false).map((flag) => ({
    meaning: { flag },
    spelling: flag
      ? spellings.one('just_request_body', 'true')
      : fc.constantFrom<Pairs>([], [['just_request_body', '']], [['just_request_body', 'false']]),
  })),
  queries: ['just_request_body=true'],
  checked: [...ofHashes('summary'), ...ofHashes('summary?just_request_body=true')],
  flush: {
    path: `/api/v2/transactions/${linked.hash}/summary?just_request_body=true`,
    group: 'ledger',
    tables: ['transfers_by_transaction', 'logs_by_transaction', 'transactions'],
    countsOf(body) {
      const { data, logs_data: logs } = Object(body)
      return [countOf(data.token_transfers), countOf(logs.items)]
    },
  },
} satisfies Story
