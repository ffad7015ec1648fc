import fc from 'fast-check'
import { ofPeople } from '../../testing/targets.ts'
import { spellings } from './spellings.ts'
import type { Story } from './story.ts'

export const story = {
  forms: [{}],
  requests: fc.constant({ meaning: {}, spelling: spellings.absent }),
  checked: ofPeople('token-balances', 'balances_by_value'),
} satisfies Story
