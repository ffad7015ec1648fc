import { describe, expect, it } from 'vitest'
import { blockLine } from './terminal-ui.ts'

const block = {
  number: 17,
  hash: '0x0123456789abcdef',
  transactions: 1,
  transfers: 2,
  time: 1_688_860_799,
  reverted: false,
}

describe('the line of a block', () => {
  it('prints the time, number and content of a block', () => {
    expect(blockLine(block)).toBe(
      '2023-07-08 23:59:59 block 17 0x01234567… 1 transaction, 2 transfers',
    )
  })

  it('reports an orphaned block', () => {
    expect(blockLine({ ...block, reverted: true })).toContain('was orphaned')
  })
})
