import { flag, requiredWhole, textOrNone, wholeOrNone } from './setting.ts'

/** Of the commands that look at a deployment, or repair it. */
export const operatorSettings = {
  json: flag({
    takenBy: [
      'migrate',
      'topics create',
      'topics check',
      'topics describe',
      'lag',
      'dead-letters list',
      'dead-letters replay',
    ],
    why: 'print JSON instead of text',
  }),
  from: requiredWhole(
    {
      takenBy: ['repair'],
      unit: 'sequence',
      why: 'sequence of the first message to publish, as `lag` prints it',
    },
    1,
    Number.MAX_SAFE_INTEGER,
  ),
  topic: textOrNone({
    takenBy: ['dead-letters list', 'dead-letters replay'],
    requiredBy: ['dead-letters replay'],
    unit: 'topic',
    bounds: 'a topic of facts',
    why: 'topic whose dead letters are listed or replayed; `list` takes all topics by default',
  }),
  offset: wholeOrNone(
    {
      takenBy: ['dead-letters replay'],
      unit: 'offset',
      why: 'offset of the one dead letter to replay, as `list` prints it',
    },
    0,
    Number.MAX_SAFE_INTEGER,
  ),
  all: flag({
    takenBy: ['dead-letters replay'],
    why: 'replay all dead letters that are valid now and not superseded by a newer fact',
  }),
  force: flag({
    takenBy: ['dead-letters replay'],
    why: 'replay even what is still invalid or superseded by a newer fact',
  }),
}
