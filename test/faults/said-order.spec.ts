import { describe, expect, it } from 'vitest'
import { complaintsOf, type Said, type SaidHead } from './said-order.ts'

const head = (block: number, branch = 0): SaidHead => ({ block, time: block * 1_000 + branch })
/** Up to block 3, back to 1, and up another branch. */
const heads = [head(1), head(2), head(3), head(2), head(1), head(2, 7), head(3, 7)]

let clock = 0
/** One after the other, unless it is said to have begun before. */
function said(one: Partial<Said>): Said {
  clock += 2
  const times = { beganAt: clock, endedAt: clock + 1 }
  return { pid: 1, path: '/', status: 200, head: null, newest: null, ...times, ...one }
}

describe('what a process says', () => {
  it('goes on with the log, also where that leads back', () => {
    const told = [head(1), head(3), head(2), head(2), head(1), head(3, 7)]
    expect(
      complaintsOf(
        told.map((at) => said({ head: at })),
        heads,
      ),
    ).toEqual([])
  })

  it('is not less than it had said before', () => {
    const told = [head(3, 7), head(3)].map((at) => said({ head: at }))
    expect(complaintsOf(told, heads)).toEqual([expect.stringContaining('after a later head')])
  })

  it('may be less than what another one has said', () => {
    const told = [said({ head: head(3, 7) }), said({ pid: 2, head: head(1) })]
    expect(complaintsOf(told, heads)).toEqual([])
  })

  it('may be less than what was not said yet when it was asked', () => {
    const late = said({ head: head(3, 7) })
    const early = said({ head: head(1), beganAt: late.endedAt - 0.5 })
    expect(complaintsOf([late, early], heads)).toEqual([])
  })

  it('is a head of the log', () => {
    expect(complaintsOf([said({ head: head(9) })], heads)).toHaveLength(1)
  })

  it('shows no page older than the head that it had told', () => {
    const stale = [said({ head: head(2, 7) }), said({ head: head(2, 7), newest: head(3) })]
    expect(complaintsOf(stale, heads)).toEqual([expect.stringContaining('shows block 3')])
    const ahead = [said({ head: head(1) }), said({ head: head(1), newest: head(3, 7) })]
    expect(complaintsOf(ahead, heads)).toEqual([])
  })
})
