import { describe, expect, it } from 'vitest'
import { judged, type Received, type Shown } from './judged-answers.ts'

const path = '/api/v2/tokens/0x1'
const right = new Map([
  [
    path,
    new Map([
      [7, '200 seven'],
      [8, '200 eight'],
    ]),
  ],
])
const shown: Shown[] = [
  { block: 7, minedAt: 0, shownAt: 10 },
  { block: 8, minedAt: 100, shownAt: 110 },
]
const received = (more: Partial<Received>): Received => ({
  path,
  text: '200 seven',
  block: 7,
  beganAt: 50,
  endedAt: 60,
  ...more,
})
const of = (more: Partial<Received>) => judged([received(more)], right, shown)

describe('an answer', () => {
  it('is right at its block, and at a later one', () => {
    expect(of({})).toEqual({ complaints: [], between: [], strict: 1 })
    expect(of({ text: '200 eight', beganAt: 105, endedAt: 120 })).toMatchObject({ complaints: [] })
  })

  it('is stale where all pods had shown a later block', () => {
    expect(of({ beganAt: 120, endedAt: 130 }).complaints).toEqual([
      `${path} is of block 7, and all pods had shown 8`,
    ])
    expect(of({ block: 8, beganAt: 120, endedAt: 130 }).complaints.join()).toContain(
      '200 seven instead of 200 eight',
    )
  })

  it('is stale where it has no block, too', () => {
    expect(of({ block: null, beganAt: 120, endedAt: 130 }).complaints).toHaveLength(1)
  })

  it('is wrong where no block has it', () => {
    expect(of({ text: '200 nine' }).complaints).toHaveLength(1)
    expect(of({ text: '503 away' }).complaints).toHaveLength(1)
  })

  it('is counted where it is of neither block while one is on its way', () => {
    const between = { text: '200 seven and a half', beganAt: 90, endedAt: 101 }
    expect(of(between)).toMatchObject({ complaints: [], strict: 0 })
    expect(of(between).between).toHaveLength(1)
  })
})
