import { describe, expect, it } from 'vitest'
import type { Lag } from './lag.ts'
import { lagExitCodes, lagStatus, reasonsBehind } from './lag-status.ts'

const limits = { messagesMax: 4, ageSecondsMax: 600 }
/** Of the setting's greatest value. */
const anyAge = { ...limits, ageSecondsMax: 10_000_000_000 }

interface Looks {
  readonly messagesBehind?: number
  readonly facts?: number
  readonly age?: number | null
  readonly groupAge?: number | null
  readonly position?: number | null
  readonly ignored?: Lag['blocks']['ignored']
}

function lag({ messagesBehind = 0, facts = 0, age = 12, ...looks }: Looks = {}): Lag {
  const { groupAge = age, position = 20, ignored = [] } = looks
  const place = { block: 20, time: 1_700_000_000 }
  const group = { ...place, position: 20, ageSeconds: groupAge, blocksBehind: 0, messagesBehind: 0 }
  return {
    blocks: { ...place, end: 20, position, ageSeconds: age, ignored },
    groups: [
      { ...group, group: 'ledger' },
      { ...group, group: 'state', messagesBehind },
    ],
    dimensions: { written: 0, messagesBehind: facts, topics: [] },
  }
}

const nonsense = [{ offset: 20, reason: 'invalid', detail: 'not JSON' }]

describe('the status of lag, for scripts', () => {
  it('is ok while every group is close to the end, and the end is young', () => {
    expect(lagStatus(lag({ messagesBehind: 4, facts: 4, age: 600 }), limits)).toBe('ok')
    expect(lagExitCodes.ok).toBe(0)
  })

  it('is behind where a group, or the facts, lag more', () => {
    expect(reasonsBehind(lag({ messagesBehind: 5 }), limits)).toEqual([
      'Group state is 5 messages behind, and 4 are allowed.',
    ])
    expect(lagStatus(lag({ messagesBehind: 5 }), limits)).toBe('behind')
    expect(lagStatus(lag({ facts: 5 }), limits)).toBe('behind')
  })

  it('is behind where the newest block is too old, of the log or of a group', () => {
    expect(reasonsBehind(lag({ age: 601, groupAge: 600 }), limits)).toEqual([
      'The newest published block is 601 s old, and 600 s are allowed.',
    ])
    expect(lagStatus(lag({ age: 601 }), limits)).toBe('behind')
    expect(lagStatus(lag({ groupAge: 601 }), limits)).toBe('behind')
    expect(lagStatus(lag({ age: 1_795_814_000 }), anyAge)).toBe('ok')
  })

  it('is behind while nothing is published, and while a group has no block', () => {
    const nothing = lag({ position: null, age: null })
    expect(reasonsBehind(nothing, anyAge)).toEqual(['Nothing is published: does an ingestor run?'])
    expect(lagStatus(nothing, anyAge)).toBe('behind')
    expect(lagStatus(lag({ groupAge: null }), anyAge)).toBe('behind')
  })

  it('is stuck where the end of the log is ignored, however far the groups are', () => {
    const stuck = lag({ messagesBehind: 19, age: 601, ignored: nonsense })
    expect(lagStatus(stuck, limits)).toBe('stuck')
    expect(lagStatus({ ...stuck, blocks: { ...stuck.blocks, position: null } }, limits)).toBe(
      'stuck',
    )
    expect(new Set(Object.values(lagExitCodes)).size).toBe(3)
    expect(Object.values(lagExitCodes)).not.toContain(1)
  })
})
