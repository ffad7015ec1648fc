import { textOrNone, wholeOrNone, wholeToGive, yesOrNo } from './setting.ts'

const ofLetters = ['dead-letters'] as const

/** What the commands of operators are told, beside where the servers are. */
export const operatorSettings = {
  json: yesOrNo({
    takenBy: ['topics', 'lag', 'dead-letters'],
    default: 'false',
    why: 'print JSON, for programs',
  }),
  from: wholeToGive(
    {
      takenBy: ['repair'],
      unit: 'message',
      why: 'the message that the log accepts next, as `foldscan lag` and a stuck group tell it',
    },
    1,
    Number.MAX_SAFE_INTEGER,
  ),
  topic: textOrNone({
    takenBy: ofLetters,
    unit: '',
    bounds: 'a topic of facts',
    why: 'whose dead letters; `list` without it shows those of all',
  }),
  offset: wholeOrNone(
    { takenBy: ofLetters, unit: 'offset', why: '`replay`: of the one letter, as `list` tells it' },
    0,
    Number.MAX_SAFE_INTEGER,
  ),
  all: yesOrNo({
    takenBy: ofLetters,
    default: 'false',
    why: '`replay`: every letter that would be folded now, and whose key has nothing newer',
  }),
  force: yesOrNo({
    takenBy: ofLetters,
    default: 'false',
    why: '`replay`: also what is still invalid, or older than what the topic has of its key',
  }),
}
