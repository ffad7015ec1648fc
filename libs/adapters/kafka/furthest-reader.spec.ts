import { AssignerProtocol } from 'kafkajs'
import { expect, test } from 'vitest'
import { furthestFirst } from './furthest-reader.ts'

const member = (memberId: string, said: unknown) => ({
  memberId,
  memberMetadata: AssignerProtocol.MemberMetadata.encode({
    version: 1,
    topics: ['a'],
    userData: Buffer.from(typeof said === 'string' ? said : JSON.stringify(said)),
  }),
})
const order = (...members: ReturnType<typeof member>[]) =>
  furthestFirst(members).map(({ memberId }) => memberId)

test('who has read furthest comes first', () => {
  const late = member('a', { offset: 0, isReading: true })
  const far = member('b', { offset: 9, isReading: false })
  expect(order(late, far)).toEqual(['b', 'a'])
})

test('among equals the present reader comes first, then the lowest name', () => {
  const [one, other] = ['a', 'b'].map((id) => member(id, { offset: 5, isReading: false }))
  const reading = member('c', { offset: 5, isReading: true })
  if (!one || !other) throw new Error('no members')
  expect(order(other, one, reading)).toEqual(['c', 'a', 'b'])
  expect(order(reading, one, other)).toEqual(['c', 'a', 'b'])
})

test.each(['', 'no JSON', { offset: -1, isReading: true }, { offset: '9' }])(
  'with the claim %j comes last',
  (said) => {
    expect(order(member('a', said), member('b', { offset: 1, isReading: false }))).toEqual([
      'b',
      'a',
    ])
  },
)
