import { aHash, aLog, anAddress } from '../../../../libs/presenters/testing/rows.ts'
import { fromCursors, ofPeople } from '../../testing/targets.ts'
import { spellings } from './spellings.ts'
import { cursors, type Hostile, type Story } from './story.ts'

const { and, blockPlace, hash, or, place, size } = spellings

const placeOf = (of: Hostile) => ({ blockNumber: of.blockNumber, logIndex: of.index })

const checked = ofPeople('logs', 'logs_by_address')
const topic = `topic=${aHash(0xdd)}`

export const story = {
  forms: [{ items_count: '9' }],
  requests: and(or('topic', hash('topic', aHash(1), aHash(2))), size, place(blockPlace)),
  pages: {
    subject: anAddress(0xa1),
    filters: ['', topic],
    rows: (of) => ({ logsOfAddress: async () => Array(2).fill(aLog(placeOf(of))) }),
    place: placeOf,
  },
  queries: [
    `topic=${aHash(1)}&${cursors.place}&items_count=50`,
    cursors.place,
    'index=5',
    `topic=${aHash(1)}`,
    cursors.sentinel,
  ],
  checked: [...checked, ...fromCursors(checked), ...fromCursors(checked, `&${topic}`)],
} satisfies Story
