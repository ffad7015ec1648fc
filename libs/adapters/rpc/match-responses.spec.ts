import { describe, expect, it } from 'vitest'
import { SourceError } from '../../ports/chain-source.ts'
import { matchResponses } from './match-responses.ts'
import { BatchRefused } from './rpc-transport.ts'

const trouble = (ids: readonly number[], body: unknown) => {
  try {
    matchResponses(ids, body)
  } catch (cause) {
    return cause instanceof SourceError ? cause.kind : cause
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
    expect(matchResponses([1, 2, 3], body)).toEqual([
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
    [
      'wrong-answer',
      [1, 2],
      [
        { id: 1, result: 'a' },
        { id: 2, result: 'b' },
        { id: 1, result: 'c' },
      ],
    ],
    ['rate-limited', [1, 2], { id: null, error: { code: -32000, message: 'Too Many Requests' } }],
  ])('are a %s to %j if they are %j', (kind, ids, body) => {
    expect(trouble(ids, body)).toBe(kind)
  })

  it.each([
    { code: -32005, message: 'limit' },
    { code: -32000, message: 'execution reverted: too many requests' },
    { code: 3, message: 'rate limit exceeded', data: '0x08c379a0' },
  ])('are not judged by the words of one error: %j', (error) => {
    expect(
      matchResponses(
        [1, 2],
        [
          { id: 1, result: 1 },
          { id: 2, error },
        ],
      ),
    ).toEqual([{ result: 1 }, { error }])
    expect(matchResponses([1], { id: 1, error })).toEqual([{ error }])
  })

  it('are read past an error of another form, and past foreign answers', () => {
    const body = [
      { id: 9, result: 'foreign' },
      { id: 1, error: { code: '-32000', message: 5 } },
      { id: 2, result: 'b' },
    ]
    expect(matchResponses([1, 2], body)).toEqual([
      { error: { code: 0, message: '' } },
      { result: 'b' },
    ])
  })

  it('refuse a batch by one single error', () => {
    const body = { id: null, error: { code: -32600, message: 'batch too large' } }
    expect(trouble([1, 2], body)).toBeInstanceOf(BatchRefused)
    expect(matchResponses([1], body)).toEqual([{ error: body.error }])
  })
})
