import { describe, expect, it } from 'vitest'
import { progressLine, reachLine, timeLeft } from './terminal-ui.ts'

const reach = { from: 0, indexed: 100, head: 1_100, eventsPerSecond: 686, blocksPerSecond: 50 }
const wide = {
  from: 18_000_000,
  indexed: 19_999_999,
  head: 123_456_789,
  eventsPerSecond: 1_234_567,
  blocksPerSecond: 0.5,
}

describe('the line of progress', () => {
  it('shows a bar, the share that is done, the time left, blocks and the rate', () => {
    const line = reachLine(reach, 80)
    expect(line).toBe(
      `  ${'█'.repeat(2)}${'░'.repeat(23)}   9% · 20 s left · block 100 of 1100 · 686 events/s`,
    )
  })

  it.each([40, 60, 80, 132])(
    'fits %i columns whatever the numbers, with its time left',
    (columns) => {
      for (const each of [reach, wide, { ...wide, blocksPerSecond: 0 }]) {
        const line = reachLine(each, columns)
        expect([...line].length).toBeLessThan(columns)
        expect(line).toContain(' left')
        expect(line).toMatch(/[█░]{5}/)
      }
    },
  )

  it('of 80 columns holds all of it', () => {
    const line = reachLine(wide, 80)
    expect(line).toContain('block 19999999 of 123456789')
    expect(line).toContain('2395 days left')
  })

  it('is full at the end, and never more', () => {
    expect(progressLine({ done: 1.5, facts: [] }, 20)).toBe(`  ${'█'.repeat(12)} 100%`)
    expect(reachLine({ ...reach, from: 5, indexed: 5, head: 5 }, 80)).toContain('100%')
  })
})

describe('the time that is left', () => {
  it('is printed in the unit that people use', () => {
    expect(timeLeft({ ...reach, blocksPerSecond: 50 })).toBe('20 s')
    expect(timeLeft({ ...reach, blocksPerSecond: 1 })).toBe('17 min')
    expect(timeLeft({ ...reach, blocksPerSecond: 0.1 })).toBe('3 h')
    expect(timeLeft({ ...reach, blocksPerSecond: 0.001 })).toBe('12 days')
  })

  it('is unknown while nothing moves, and none at the head', () => {
    expect(timeLeft({ ...reach, blocksPerSecond: 0 })).toBe('? s')
    expect(timeLeft({ ...reach, indexed: 1_100, blocksPerSecond: 0 })).toBe('0 s')
  })
})
