import fc from 'fast-check'
import { ofTokens } from '../../testing/targets.ts'
import { spellings } from './spellings.ts'
import type { Story } from './story.ts'

export const story = {
  forms: [{}],
  requests: fc.constant({ meaning: {}, spelling: spellings.absent }),
  checked: ofTokens('', 'token_state'),
} satisfies Story
