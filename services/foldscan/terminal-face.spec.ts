import { describe, expect, it } from 'vitest'
import { blockLine, timeLeft } from './terminal-face.ts'

const reach = { from: 0, indexed: 100, head: 1100, eventsPerSecond: 5 }
const block = {
  number: 17,
  hash: '0x0123456789abcdef',
  transactions: 1,
  transfers: 2,
  time: 1_688_860_799,
  reverted: false,
}

describe('the time that is left', () => {
  it('is told in the unit that people think in', () => {
    expect(timeLeft({ ...reach, blocksPerSecond: 50 })).toBe('20 s')
    expect(timeLeft({ ...reach, blocksPerSecond: 1 })).toBe('17 min')
    expect(timeLeft({ ...reach, blocksPerSecond: 0.1 })).toBe('3 h')
  })

  it('is unknown while nothing moves, and none at the head', () => {
    expect(timeLeft({ ...reach, blocksPerSecond: 0 })).toBe('?')
    expect(timeLeft({ ...reach, indexed: 1100, blocksPerSecond: 0 })).toBe('0 s')
  })
})

describe('the line of a block', () => {
  it('says when, which, and what it holds', () => {
    expect(blockLine(block)).toBe('23:59:59 block 17 0x01234567… 1 transaction, 2 transfers')
  })

  it('says when a block was orphaned', () => {
    expect(blockLine({ ...block, reverted: true })).toContain('was orphaned')
  })
})
