import { describe, expect, it } from 'vitest'
import { SourceTrouble } from '../../ports/node.ts'
import { pairAnswers } from './pair-answers.ts'
import { BatchRefused } from './rpc-transport.ts'

const trouble = (ids: readonly number[], body: unknown) => {
  try {
    pairAnswers(ids, body)
  } catch (cause) {
    return cause instanceof SourceTrouble ? cause.kind : cause
  }
  return 'none'
}

describe('answers of a node', () => {
  it('belong to their questions by id, in whatever order they come', () => {
    const body = [
      { id: 3, result: 'c' },
      { id: 1, result: null },
      { id: 2, error: { code: 3, message: 'execution reverted' } },
    ]
    expect(pairAnswers([1, 2, 3], body)).toEqual([
      { result: null },
      { error: { code: 3, message: 'execution reverted' } },
      { result: 'c' },
    ])
  })

  it.each<[string, readonly number[], unknown]>([
    ['half-answer', [1, 2], [{ id: 1, result: 'a' }]],
    [
      'half-answer',
      [1, 2],
      [
        { id: 1, result: 1 },
        { id: 1, result: 1 },
      ],
    ],
    ['half-answer', [1], { id: 1 }],
    ['half-answer', [1], { id: 2, result: 'a' }],
    ['wrong-answer', [1], 'hello'],
    ['wrong-answer', [1], { id: 1, error: 'no' }],
    ['rate-limited', [1], { id: 1, error: { code: -32005, message: 'limit' } }],
    ['rate-limited', [1], { id: 1, error: { code: -32000, message: 'Too Many Requests' } }],
    [
      'rate-limited',
      [1, 2],
      [
        { id: 1, result: 1 },
        { id: 2, error: { code: 429 } },
      ],
    ],
  ])('are a %s to %j if they are %j', (kind, ids, body) => {
    expect(trouble(ids, body)).toBe(kind)
  })

  it('refuse a batch by one single error', () => {
    const body = { id: null, error: { code: -32600, message: 'batch too large' } }
    expect(trouble([1, 2], body)).toBeInstanceOf(BatchRefused)
    expect(pairAnswers([1], body)).toEqual([{ error: body.error }])
  })
})
