import { describe, expect, it } from 'vitest'
import { complaintsOf, type ReportedHead, type SeenResponse } from './response-order.ts'

const head = (block: number, branch = 0): ReportedHead => ({ block, time: block * 1_000 + branch })
/** Up to block 3, back to 1, and up another branch. */
const heads = [head(1), head(2), head(3), head(2), head(1), head(2, 7), head(3, 7)]

let clock = 0
/** One after the other, unless `beganAt` is earlier. */
function response(one: Partial<SeenResponse>): SeenResponse {
  clock += 2
  const times = { beganAt: clock, endedAt: clock + 1 }
  return { pid: 1, path: '/', status: 200, head: null, newest: null, ...times, ...one }
}

describe('a response of a process', () => {
  it('goes on with the log, also where that leads back', () => {
    const responses = [head(1), head(3), head(2), head(2), head(1), head(3, 7)]
    expect(
      complaintsOf(
        responses.map((at) => response({ head: at })),
        heads,
      ),
    ).toEqual([])
  })

  it('is not older than its previous one', () => {
    const responses = [head(3, 7), head(3)].map((at) => response({ head: at }))
    expect(complaintsOf(responses, heads)).toEqual([expect.stringContaining('after a later head')])
  })

  it('may be older than that of another process', () => {
    const responses = [response({ head: head(3, 7) }), response({ pid: 2, head: head(1) })]
    expect(complaintsOf(responses, heads)).toEqual([])
  })

  it('may be older than one that had not ended at its request', () => {
    const late = response({ head: head(3, 7) })
    const early = response({ head: head(1), beganAt: late.endedAt - 0.5 })
    expect(complaintsOf([late, early], heads)).toEqual([])
  })

  it('is a head of the log', () => {
    expect(complaintsOf([response({ head: head(9) })], heads)).toHaveLength(1)
  })

  it('shows no page older than the head that it had reported', () => {
    const stale = [response({ head: head(2, 7) }), response({ head: head(2, 7), newest: head(3) })]
    expect(complaintsOf(stale, heads)).toEqual([expect.stringContaining('shows block 3')])
    const ahead = [response({ head: head(1) }), response({ head: head(1), newest: head(3, 7) })]
    expect(complaintsOf(ahead, heads)).toEqual([])
  })
})
